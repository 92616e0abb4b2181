"""A value is out of bounds.

The number has the right form but cannot work: no attempts, a factor that makes each wait shorter, more replicas than
any cluster starts. A time of `0s` is one that is over before it begins, and to Redis a wait of 0 is one without an
end. Memory of `512` is 512 bytes: sizes without a unit are bytes. An empty list where at least one thing is needed is
the same: a class of failures that matches nothing.

Write a value within the bound that is told. The bounds of every field stand in the reference of the spec.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
