"""A CPU quantity is not valid.

CPU is written as in Kubernetes: `250m` is 250 millicores, a quarter of a CPU; `0.5` is half a CPU; `2` is two CPUs.
Kubernetes refuses anything finer than one millicore.

Write a number directly followed by `m`, or a plain number of CPUs.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
