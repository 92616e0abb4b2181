"""Values are nested too deeply.

A spec has six levels, and a message schema in it perhaps twenty more. Penstock stops reading at forty: such a file is
generated, repeats an opening bracket by mistake, or tests the limits of the parser.

Remove levels. Split a deeply nested schema into parts under `$defs` that refer to each other with `$ref`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
