"""A YAML directive changes the meaning of the file.

A line that starts with `%` before the `---` is an instruction to the parser: `%YAML 1.1` turns `no` into a boolean and
`12:30` into a number, and `%TAG` renames tags. All specs are YAML 1.2, so that a word means the same in every file.

Delete the line. Words such as `no` are already text; write `false` for a boolean.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
