"""A text is empty, too long or contains control characters.

Contacts, reasons and names of fields appear in alerts and tables, one per line. A line break, a tab or a colour code
would break those, and an empty reason explains nothing.

Write one line of at most 500 characters, or 200 for the name of a field. If there is nothing to say, delete the line.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
