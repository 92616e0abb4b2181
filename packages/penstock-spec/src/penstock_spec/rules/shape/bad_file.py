"""A file name leads away from the spec.

A spec may name a file beside it, such as the JSON Schema of its messages. The path is relative to the spec and stays
below its folder: one that starts with `/` or climbs with `..` would be another file on another machine, and could be
any file of it.

Write a relative path with `/`, such as `schemas/job.json`, and put the file there.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
