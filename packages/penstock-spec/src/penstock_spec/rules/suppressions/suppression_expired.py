"""A suppression has expired.

A suppression accepts a finding until a date. After that date the finding counts again, and the expired suppression is
a finding of its own, which shows that the problem is no longer accepted.

Fix what it hides. If that has to wait, review the reason and set a later `until`. If the finding is gone, remove the
suppression.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
