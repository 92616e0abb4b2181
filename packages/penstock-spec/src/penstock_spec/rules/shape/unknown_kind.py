"""The kind of spec does not exist.

`kind` says what a file describes, and so which fields it may have. Without a valid kind nothing else in the file can
be checked.

Write `kind: pipeline` or `kind: scheduler`. `kind: platform` belongs in the platform file, `penstock.yaml` at the root
of the repository, and not in `specs/`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
