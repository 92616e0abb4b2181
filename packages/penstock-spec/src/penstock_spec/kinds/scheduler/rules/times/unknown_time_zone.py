"""There is no such time zone.

The hours of `cron` are those of the clock in `time_zone`. Names are those of the IANA database, a continent and a
city; they know when clocks are put forward and back, which `CET` or `UTC+1` do not.

Write a name such as `Europe/Berlin`. `UTC` is the default.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
