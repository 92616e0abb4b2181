"""A suppression hides no finding.

Its rule finds nothing here: the problem is fixed, or it is at another field than `at` says. Left in place, the
suppression would hide the next finding of this rule.

Remove it. Penstock reports this only if it checks all specs in all environments, because a finding may occur in one
environment only.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.WARNING)
