"""A cron expression cannot be read.

An expression has five fields: minute, hour, day of the month, month, day of the week. Each is `*`, a number, a list
(`0,30`), a range (`8-18`) or steps (`*/5`); months and days of the week have names too, and `L` is the last day of a
month. Where a day of the month and one of the week are both said, either is enough, as in Debian's cron.

Write the five fields in quotes: `"*/5 * * * *"`. What runs more often than once a minute is said with `every`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
