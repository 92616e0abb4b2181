"""A suppression names a rule or field that cannot be suppressed.

There is no rule of that name, or the rule reports problems that make a file meaningless: findings about reading a file
and about the shape of its values cannot be suppressed. Or `at` names a field that does not exist, where no finding can
occur.

Write the name in brackets in the finding, such as `paused` in `warning[paused]`; `penstock rules` lists all rules. Fix
the findings of rules such as `bad-duration`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
