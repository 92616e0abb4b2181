"""The file says nothing.

There is nothing in it but blank lines and comments. An empty spec is not a pipeline with defaults: name, owner,
handler and image have none. So it is more probably a file that was not written to the end.

Write the spec, beginning with what `penstock new` makes, or delete the file.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
