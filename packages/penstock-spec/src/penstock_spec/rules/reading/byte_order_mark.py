"""The file starts with a byte order mark (BOM).

Some editors write the invisible character U+FEFF before the first letter. Penstock ignores it, but other tools do not:
`grep '^kind'` and some YAML parsers no longer recognize the first key.

Save the file as UTF-8 without a byte order mark, or run `penstock fmt`, which removes it.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.WARNING)
