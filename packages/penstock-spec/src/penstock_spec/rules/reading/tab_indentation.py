"""A tab stands where YAML wants spaces.

YAML indents by spaces alone. A tab looks like several of them, and like another number in each editor, so that what
seems to stand inside a section may stand beside it. Between a key and its value it is no better.

Indent with spaces, two a level, or run `penstock fmt`. Inside a text of several lines (`|` and `>`), behind its
indentation, a tab is text and stays.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
