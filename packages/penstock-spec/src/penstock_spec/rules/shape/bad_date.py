"""A date cannot be read.

The `until` of a suppression or of an acknowledgement is the last day on which it counts. It is written year first, so
that nobody takes the month for the day, and it must be a day that exists.

Write it as `2027-01-31`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
