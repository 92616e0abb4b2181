"""A spec names an environment that the platform does not have.

What stands under `environments.<name>` of a spec counts only in the environment of that name. The platform file says
which there are, so with a name it does not know, the override would never count, and nobody would notice in
production.

Write the name as it stands under `environments` of the platform file. If the environment is new, add it there first.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
