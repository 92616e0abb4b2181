"""The file is not YAML.

A quote or a bracket is not closed, a line is indented otherwise than its neighbours, or a value has a `: ` or starts
with a character that means something to YAML: behind a space, `#` starts a comment. What comes after it cannot be read,
so there may be more to find once this is right.

The caret stands where it can be mended: under the quote or bracket that was opened, not where the parser gave up. If in
doubt, put the value in quotes.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
