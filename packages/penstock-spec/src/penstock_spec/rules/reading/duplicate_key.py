"""A key appears twice in the same section.

Most YAML parsers silently keep the last of the two. A reviewer then reads one value and another one runs: a
`work.timeout` at the top of the file is overwritten by one at the bottom.

Keep one of the two. If they are two halves of one section, put the fields of both under one key.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
