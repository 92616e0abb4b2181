"""The file uses a YAML anchor or alias.

`&long 30s` names a value and `*long` repeats it elsewhere. A change to one line then changes others that no reviewer
looks at, nothing shows where a value comes from, and a few nested aliases can expand a small file to gigabytes.

Write the value out. Put values that all specs share under `defaults` in the platform file. Quote a text that happens
to start with `&` or `*`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
