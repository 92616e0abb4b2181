"""A value is not one of the allowed choices.

Some fields accept one of a few words, such as `work.isolation: process` or `stream.backlog.when_full: reject`. Some
also accept a section instead: `stream.retention.keep` is `until-done`, `{length: 1000000}` or `{age: 7d}`.

Write one of the choices that the hint lists, in lower case and without quotes.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
