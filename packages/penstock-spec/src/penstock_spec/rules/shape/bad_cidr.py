"""A range of addresses cannot be read.

`egress` says with `cidr` where pods may go, and Kubernetes takes nothing but an address with the length of its prefix.
An address alone would be refused at `kubectl apply`, and one with more bits than its prefix says is not what was meant.

Write the first address of the range and the length: `10.20.0.0/16`, or `10.20.0.7/32` for one address.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
