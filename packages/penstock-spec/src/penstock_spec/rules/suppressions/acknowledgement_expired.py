"""An acknowledgement has run out.

`acknowledge` lets a dangerous change through: a stream renamed, a retention shortened. It is meant for that one change,
and ends on a day so that it cannot let the next one through unseen.

Take it out when the change is made. If the change is still to come, look at it again and move `until`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.WARNING)
