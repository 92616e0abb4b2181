"""A version cannot be read.

`versions` in the platform file says what manifests must suit, and rules compare it: they need at least the first two
numbers, `1.36`. A leading `v`, or a word such as `latest`, cannot be compared.

Write two or three numbers. Quotes are not needed: Penstock keeps `1.30` as it is written and does not make it `1.3`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
