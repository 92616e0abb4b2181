"""More is wrong than is told.

One slip, such as a section pasted a thousand times or indented by tabs throughout, can be found at a thousand places.
Of each kind of look at a file the first hundred findings are told, and this one says that there are more.

Put right what is told, then look again.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
