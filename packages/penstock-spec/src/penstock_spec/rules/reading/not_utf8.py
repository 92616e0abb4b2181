"""The file is not UTF-8.

It was saved in another encoding, such as Latin-1 or UTF-16. Reading it would be a guess, and the same guess would not
be made on every machine.

Save it as UTF-8. On a command line, `iconv -f latin1 -t utf-8` or `iconv -f utf-16 -t utf-8` does it.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
