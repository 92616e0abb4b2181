"""A suppression has run out.

A suppression takes on a finding until a day. That day is over: the finding counts again, and the suppression itself
is one, so that nobody takes the file for settled.

Put right what it hides. If it still has to wait, look at the reason again and move `until`, or take the suppression
out when its finding is gone.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
