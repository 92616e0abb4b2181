"""The file is empty.

It contains only blank lines and comments. Name, owner, handler and image have no defaults, so an empty file cannot be
a spec; most likely it was never finished.

Write the spec, starting from the output of `penstock new`, or delete the file.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
