"""An override names a field that does not exist.

The keys under `environments.<name>` in a spec, and under `defaults` in the platform file, are paths: `work.timeout` is
the `timeout` in `work`. A path to a field that does not exist would change nothing. Some fields cannot be overridden,
because they are the same in every environment: `kind`, `name`, `suppress`, `acknowledge` and `expect`.

Write the full path of each field. A section such as `work: {timeout: 30s}` would replace the whole section, so
`concurrency` would fall back to its default. Write a section that is off by default, such as `message.dedup`, as a
whole. If the spec has a word instead of a section, as in `keep: until-done`, override the whole value:
`stream.retention.keep: {length: 1000}`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
