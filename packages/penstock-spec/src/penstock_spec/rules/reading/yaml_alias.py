"""An anchor or an alias stands for a value.

`&long 30s` gives a value a name, and `*long` repeats it elsewhere. A change in one line then changes others that
nobody looks at, no line says where a value comes from, and a few nested aliases can blow a small file up to
gigabytes.

Write the value out. What all specs of a platform share belongs in `defaults` of the platform file. A text that
happens to start with `&` or `*` goes into quotes.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
