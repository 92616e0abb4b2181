"""A value is out of range.

The value has the right type but cannot work: zero attempts, a factor that shortens each wait, more replicas than any
cluster can start. A timeout of `0s` ends before it begins, and to Redis a blocking read of 0 waits forever. Memory of
`512` means 512 bytes, because sizes without a unit are bytes. An empty list is out of range where at least one item is
required, such as the matches of a failure class.

Write a value within the bound that the finding names. The reference of the spec lists the bounds of every field.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
