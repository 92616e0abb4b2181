"""A label is none that Kubernetes takes, or one of Penstock's own.

`found_by` in the platform file puts labels on what is generated, so that the Prometheus operator and Grafana's sidecar
find it. A name is a word, with a domain and `/` before it if need be; a value has letters, digits, `-`, `_` and `.`.
Penstock's own labels tell one spec's objects from another's, so they cannot be said anew.

Write the label as the selector of the operator, or of the sidecar, has it.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
