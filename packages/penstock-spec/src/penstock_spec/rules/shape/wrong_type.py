"""A value is of the wrong type.

YAML tells words, numbers, `true` and `false`, lists and sections apart, and nothing is converted in silence: `"4"` is
a word, `yes` is a word too (in YAML 1.2), and a key with nothing behind it is null. To guess what was meant would
hide the slip in which the one stands for the other.

Write a value of the type that the finding names. Numbers and booleans have no quotes; words that look like them do.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
