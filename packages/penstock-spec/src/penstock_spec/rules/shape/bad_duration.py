"""A duration cannot be read.

A bare `60` could be seconds or milliseconds, and other tools disagree on which; so a unit must stand there. Units are
`d`, `h`, `m`, `s` and `ms`, whole numbers, largest first: `1h30m`, `90s`, `500ms`. Seconds alone may have a fraction:
`0.5s`.

Write the unit right behind the number. Ten years is the most.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
