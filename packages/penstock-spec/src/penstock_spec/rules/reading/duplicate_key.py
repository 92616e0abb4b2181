"""A key stands twice in one section.

Most YAML parsers keep the last of the two in silence. What a reviewer reads in the first is then not what runs: a
`work.timeout` at the top of the file is undone by one at the bottom.

Keep one of the two. If they are two halves of one section, put the fields of both below one key.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
