"""An acknowledgement has expired.

`acknowledge` accepts one dangerous change, such as a renamed stream or a shorter retention. It has an end date so that
it cannot accept the next change unnoticed.

Remove it once the change is deployed. If the change is still to come, review it again and set a later `until`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.WARNING)
