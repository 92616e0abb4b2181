"""A suppression hides nothing.

The rule that it names finds nothing here: what it was written for has been put right, or stands at another field than
`at` says. Left in, it would hide the next such finding before anybody has looked at it.

Take it out. This is told only when all specs are checked in all environments, because a finding may hold in one of
them only.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.WARNING)
