"""A key is not a field.

It is misspelt, stands in the wrong section, or is the word of another tool. Penstock does not read past it:
`concurency: 4` would leave the concurrency at its default, and nothing would say so until the pipeline is slow.

Write the field that the hint names, or move the line to the section it belongs to. For words of KEDA, Kubernetes and
other workers the hint says what they are called here, or why there is no such thing to set.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
