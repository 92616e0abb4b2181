"""A suppression names a rule or a field that cannot be suppressed.

Either there is no rule of that name, and the suppression hides nothing, or the rule is one of those without which a
file has no meaning: what cannot be read, or is not the shape of a spec, cannot be taken on. Or its `at` leads to no
field, and nothing is ever found there.

Write the name as it stands between brackets in the finding, such as `paused` in `warning[paused]`; `penstock rules`
lists them all. What a rule such as `bad-duration` finds must be put right.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
