"""A tag asks for more than plain data.

`!Team` or `!!python/object` asks the parser to build something else than text, numbers, lists and sections. Some
parsers run code for it. A spec is plain data.

Take the tag out. To make text of something that looks like a number, put it in quotes: `"5"` and not `!!str 5`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
