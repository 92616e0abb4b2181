"""The file starts with a byte order mark."""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import told

RULE = told(__name__, Severity.WARNING)
