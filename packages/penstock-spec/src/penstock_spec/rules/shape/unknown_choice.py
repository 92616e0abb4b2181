"""A word is not one of the choices.

Some fields take one of a few words, such as `work.isolation: process` or `stream.backlog.when_full: reject`. Some
also take a section in place of a word: `stream.retention.keep` is `until-done`, or `{length: 1000000}`, or `{age:
7d}`.

Write one of those that the hint names, in lower case, without quotes.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
