"""A value is out of bounds.

The number has the right form but cannot work: no attempts, a factor that makes each wait shorter, more replicas than
any cluster starts. An empty list where at least one thing is needed is the same: a class of failures that matches
nothing.

Write a value within the bound that the hint names. The bounds of every field stand in the reference of the spec.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import told

RULE = told(__name__, Severity.ERROR)
