"""The file is not UTF-8.

It was saved in another encoding, such as Latin-1 or UTF-16. Penstock would have to guess which one, and the guess
could differ from machine to machine.

Save the file as UTF-8, or convert it with `iconv -f latin1 -t utf-8` or `iconv -f utf-16 -t utf-8`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
