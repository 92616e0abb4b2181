"""The file cannot be read.

It does not exist, it is a folder or another thing than an ordinary file, or the system does not give it out.
Everything else is still checked, but nothing is known of this file, so the run fails.

Put right what the finding names: the spelling of the name, the permissions (`chmod +r`), or a link that leads
nowhere.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
