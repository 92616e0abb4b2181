"""A size cannot be read.

Memory is written as Kubernetes writes it: `256Mi`, `1Gi`, `64Ki`; `M` and `G` are powers of ten. A small `m` is not a
megabyte: Kubernetes takes `256m` for 256 thousandths of a byte, and a pod with that limit never starts.

Write a number with `Ki`, `Mi` or `Gi` right behind it. A bare number is bytes.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
