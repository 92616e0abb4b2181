"""The file has no fields.

A spec, like the platform file, consists of lines of `key: value`. This file is valid YAML, but it is a list, a single
word or `null`.

Start the file with `kind: pipeline` (the platform file with `kind: platform`) and write one field per line. If it is
something else, move it out of `specs/`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
