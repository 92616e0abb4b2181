"""A file name points outside the spec's folder.

A spec may name a file beside it, such as the JSON Schema of its messages. The path is relative to the spec and stays
inside its folder: an absolute path, or one that climbs with `..`, would name a different file on another machine, and
could name any file on it.

Write a relative path with `/`, such as `schemas/job.json`, and put the file there.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
