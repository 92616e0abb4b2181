"""A version number is not valid.

Rules compare the `versions` in the platform file, and manifests are generated for them. A comparison needs at least
the first two numbers, as in `1.36`; a leading `v` or a word such as `latest` cannot be compared.

Write two or three numbers. Quotes are not needed: Penstock keeps `1.30` and does not turn it into `1.3`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
