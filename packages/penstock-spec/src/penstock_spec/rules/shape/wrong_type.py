"""A value has the wrong type.

YAML distinguishes text, numbers, `true` and `false`, lists and sections, and Penstock converts nothing silently: `"4"`
is text, `yes` is text too (in YAML 1.2), and a key without a value is null. Guessing the intended type would hide
mistakes.

Write a value of the type that the finding names. Write numbers and booleans without quotes, and quote a text that
looks like one.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
