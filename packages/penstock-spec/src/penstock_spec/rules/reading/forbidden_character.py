r"""The file contains an invisible character.

Control characters, characters that reverse the direction of text, and separators that only some tools treat as line
breaks make a reviewer see a different text than the machine reads. The same applies to a double-quoted escape for half
a character (a lone surrogate), which no program can write out again.

Delete the character; the caret marks its position even if nothing is visible there. In the few values that may contain
any text, such as the `value` of a patch, use a double-quoted escape like `"\u202E"`, which is visible.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
