"""Values are nested too deep.

A spec has six levels, and a message schema inside it perhaps twenty more. Beyond forty the file is not read on: it is
generated, or a bracket is opened again and again, or somebody tries how much a parser can bear.

Take levels out. A schema that really is this deep becomes readable when its parts stand side by side under `$defs`
and refer to each other by `$ref`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
