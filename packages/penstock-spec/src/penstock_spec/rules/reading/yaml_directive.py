"""A directive changes what the file means.

A line that starts with `%` before the `---` speaks to the parser: `%YAML 1.1` makes `no` a boolean and `12:30` a
number, `%TAG` renames tags. Specs are YAML 1.2 everywhere, so that each word means one thing.

Take the line out. A value that was meant otherwise, such as `no`, is text here already; for a boolean write `false`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
