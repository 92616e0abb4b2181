"""An image may be another one tomorrow.

`latest`, or no tag at all, names whatever was pushed last. Two pods of one pipeline can then run different code, a
rollback brings nothing back, and scaling up in the night deploys.

Name a version that is never pushed twice, such as `registry.example/media:1.4.2`, or the digest, `...@sha256:...`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
