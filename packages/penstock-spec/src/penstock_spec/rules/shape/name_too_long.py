"""A name is too long for what Kubernetes makes of it.

A label in Kubernetes has at most 63 characters. KEDA puts `keda-hpa-` before the name of a pipeline, so 54 remain. A
longer name is refused by the API server only when it is deployed, and then the pipeline runs without scaling.

Shorten it. Say the rest in `owner.contact` or in a comment. `stream.key` need not follow the name: it may have 512
characters.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
