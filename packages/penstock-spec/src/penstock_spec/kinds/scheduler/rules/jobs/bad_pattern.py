r"""A pattern is not a valid regular expression.

The patterns that enable and disable jobs, and the pattern of jobs with a longer zombie threshold, are regular
expressions of Python's `re` and match the whole name. `aws/*` does not match everything below `aws/`; it matches `aws`
with any number of slashes.

Write `aws/.*`. Escape special characters with a backslash: `reports\.daily`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
