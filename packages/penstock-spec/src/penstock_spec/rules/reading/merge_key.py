"""A merge key brings values in from elsewhere.

`<<` copies the fields of another section to this place. YAML 1.2 does not have it and parsers differ on it; and no
line of the file would say where a value comes from, which Penstock tells of every value.

Write the fields out. What all specs of a platform share belongs in `defaults` of the platform file, and what differs
in one environment belongs under `environments` of the spec.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
