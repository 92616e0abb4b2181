"""A time zone is not known.

`cron` follows the clock in `time_zone`, which is a name of the IANA database: a continent and a city. These zones know
when daylight saving time starts and ends; `CET` and `UTC+1` do not.

Write a name such as `Europe/Berlin`. The default is `UTC`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
