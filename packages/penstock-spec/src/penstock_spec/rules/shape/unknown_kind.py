"""The kind of spec is not known.

`kind` says what a file describes and with it which fields it may have. Without a known kind nothing else in the file
can be checked.

Write `kind: pipeline`. `kind: platform` belongs in the platform file, `penstock.yaml` at the root, and not among the
specs.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
