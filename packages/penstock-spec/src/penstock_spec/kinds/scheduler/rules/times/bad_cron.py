"""A cron expression is not valid.

An expression has five fields: minute, hour, day of the month, month, day of the week. Each is `*`, a number, a list
(`0,30`), a range (`8-18`) or steps (`*/5`). Months and days of the week have names too, and `L` is the last day of a
month. If both a day of the month and a day of the week are set, either one is enough, as in Debian's cron.

Quote the five fields: `"*/5 * * * *"`. Use `every` for jobs that run more often than once a minute.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
