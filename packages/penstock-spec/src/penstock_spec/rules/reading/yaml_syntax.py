"""The file is not valid YAML.

A quote or a bracket is not closed, a line is indented differently from its neighbours, or an unquoted value contains
`: ` or starts with a character that has a meaning in YAML. After a space, `#` starts a comment. The rest of the file
cannot be read, so there may be more findings once this one is fixed.

The caret marks the place to fix: the quote or bracket that was opened, not the line where the parser gave up. If in
doubt, quote the value.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
