"""A tab is used for indentation.

YAML indents with spaces only. Editors show a tab with different widths, so a line that seems to be inside a section
may be beside it. A tab between a key and its value is not allowed either.

Indent with two spaces per level, or run `penstock fmt`. Inside a multi-line text (`|` or `>`), a tab after the
indentation is part of the text and stays.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
