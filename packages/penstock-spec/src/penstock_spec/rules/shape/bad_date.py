"""A date is not valid.

The `until` of a suppression or an acknowledgement is the last day on which it counts. The year comes first, so that
month and day cannot be confused, and the day must exist.

Write it as `2027-01-31`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
