"""A memory size is not valid.

Memory is written as in Kubernetes: `256Mi`, `1Gi`, `64Ki`; `M` and `G` are powers of ten. A lower-case `m` does not
mean megabytes: Kubernetes reads `256m` as 256 thousandths of a byte, and a pod with that limit never starts.

Write a number directly followed by `Ki`, `Mi` or `Gi`. A bare number is in bytes.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
