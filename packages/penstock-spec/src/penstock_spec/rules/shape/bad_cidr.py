"""An address range is not valid CIDR notation.

`cidr` in `egress` says which addresses pods may connect to. Kubernetes accepts only an address with a prefix length.
`kubectl apply` would refuse an address alone, and an address with bits beyond its prefix is a mistake.

Write the first address of the range and the prefix length: `10.20.0.0/16`, or `10.20.0.7/32` for a single address.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
