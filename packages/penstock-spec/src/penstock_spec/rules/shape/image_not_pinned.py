"""An image has no fixed version.

`latest`, or no tag at all, means whatever was pushed last. Two pods of a pipeline can then run different code, a
rollback changes nothing, and scaling up at night becomes a deployment.

Use a tag that is never pushed twice, such as `registry.example/media:1.4.2`, or a digest, `...@sha256:...`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
