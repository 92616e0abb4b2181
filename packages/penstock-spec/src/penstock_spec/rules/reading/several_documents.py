"""The file contains several YAML documents.

A line of `---` or `...` ends a YAML document; the text after it is another document. Penstock allows one spec per
file, because findings, `CODEOWNERS` and diffs all work by file.

Give each spec its own file in `specs/`. A single `---` at the top of the file is fine.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
