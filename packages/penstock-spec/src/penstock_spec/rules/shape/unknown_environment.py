"""A spec names an environment that the platform file does not have.

Values under `environments.<name>` of a spec apply only in the environment of that name. The platform file lists the
environments; an override for any other name would never apply, without an error.

Write the name as it appears under `environments` in the platform file. If the environment is new, add it there first.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
