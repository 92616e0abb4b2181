"""The file cannot be read.

It does not exist, it is a folder or another special file, or the operating system denies access. All other files are
still checked, but the run fails because nothing is known about this one.

Fix the cause that the finding names: the spelling of the name, the permissions (`chmod +r`), or a broken link.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
