"""A file holds several documents.

A line of `---` or `...` ends a YAML document, and what comes after it is another one. Penstock keeps one spec a file,
because the file is what findings point into, what `CODEOWNERS` gives to a team and what a diff is of.

Give each spec a file of its own in `specs/`. One `---` at the very top is well.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
