"""A text is empty, too long or has control characters.

Contacts, reasons and names of fields are read by people, in alerts and in tables, one to a line. A line break, a tab
or a colour code would tear those apart; an empty reason is none.

Write it on one line, at most 500 characters, and 200 for the name of a field. If there is nothing to say, take the
line out.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
