"""The file starts with a byte order mark.

Some editors put the character U+FEFF before the first letter. Penstock reads past it, but other tools that take the
file, such as `grep '^kind'` or a YAML parser in a pipeline, do not know the first key any more.

Save the file as UTF-8 without a byte order mark, or run `penstock fmt`, which takes it out.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.WARNING)
