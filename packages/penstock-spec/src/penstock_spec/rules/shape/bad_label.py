"""A label is not valid in Kubernetes, or is reserved by Penstock.

`found_by` in the platform file adds labels to generated objects, so that the Prometheus operator and Grafana's sidecar
find them. A label's name is a word, optionally after a domain and `/`; a value has letters, digits, `-`, `_` and `.`.
Penstock's own labels identify the spec of an object and cannot be overridden.

Copy the label from the selector of the operator or the sidecar.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
