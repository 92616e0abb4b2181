r"""A character that cannot be seen stands in the file.

Control characters, marks that turn the direction of a line, separators that only some tools count as line breaks:
with them a reviewer sees another text than the machine reads. The same holds for an escape in double quotes that
stands for half a character (a lone surrogate), which no program can write out again.

Take the character out; the caret stands under it even where nothing is to be seen. In the few values that may hold
any text, such as the `value` of a patch, a double-quoted escape like `"\u202E"` says the same and can be seen.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
