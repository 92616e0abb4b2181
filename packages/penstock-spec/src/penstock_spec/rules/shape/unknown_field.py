"""A field does not exist.

It is misspelt, in the wrong section, or the term of another tool. Penstock refuses it instead of ignoring it: with
`concurency: 4` the concurrency would stay at its default, and nothing would show that until the pipeline is slow.

Write the field that the hint suggests, or move the line to the right section. For terms of KEDA, Kubernetes and other
worker frameworks the hint names the field of Penstock, or says why there is none.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
