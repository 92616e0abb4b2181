r"""A pattern is not a regular expression.

The patterns that enable and disable jobs, and the one of jobs that may hang for longer, are regular expressions as
Python's `re` reads them, and match a whole name. `aws/*` is not "all below `aws/`" but any number of slashes.

Write `aws/.*`. What has a meaning in expressions and is meant as it stands gets a backslash: `reports\.daily`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
