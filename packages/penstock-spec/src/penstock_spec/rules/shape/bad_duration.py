"""A duration is not valid.

A bare `60` could be seconds or milliseconds, and tools disagree on which, so a unit is required. Units are `d`, `h`,
`m`, `s` and `ms`, with whole numbers, largest unit first: `1h30m`, `90s`, `500ms`. Only seconds alone may have a
fraction: `0.5s`.

Write the unit directly after the number. The maximum is ten years.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
