"""The file uses a YAML tag.

`!Team` or `!!python/object` asks the parser to build something other than text, numbers, lists and sections. Some
parsers run code for it. A spec is plain data.

Delete the tag. If a text looks like a number, quote it: `"5"` instead of `!!str 5`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
