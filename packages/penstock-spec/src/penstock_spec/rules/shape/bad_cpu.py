"""A share of CPUs cannot be read.

CPU is written as Kubernetes writes it: `250m` are 250 thousandths of a CPU, `0.5` is a half, `2` are two. Anything
finer than a thousandth is refused by Kubernetes.

Write the number with `m` right behind it, or a plain number of CPUs.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
