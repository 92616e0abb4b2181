"""The file holds no fields.

A spec, and the platform file too, is a section: lines of `key: value`. This file is valid YAML, but it is a list, a
single word or `null`.

Start it with `kind: pipeline` (the platform file with `kind: platform`), one field a line. If the file is something
else, move it out of `specs/`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
