"""There are more findings than are shown.

One mistake, such as a section pasted a thousand times or tabs throughout the file, can cause a thousand findings. Each
check reports its first hundred findings in a file; this finding says that there are more.

Fix the findings that are shown, then run the check again.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
