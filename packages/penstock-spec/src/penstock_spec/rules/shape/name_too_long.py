"""A name is too long for what Kubernetes makes of it."""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import told

RULE = told(__name__, Severity.ERROR)
