"""An override leads to no field.

The keys under `environments.<name>` of a spec, and under `defaults` of the platform file, are paths: `work.timeout` is
the `timeout` of `work`. One that leads nowhere would change nothing. What a spec is (its `kind` and `name`) and what
people have said of it (`suppress`, `acknowledge`, `expect`) is the same in every environment.

Write the whole path of a field, and one for each field: a section such as `work: {timeout: 30s}` would replace what is
said of `work` elsewhere, so that `concurrency` would be back at its default. A section that is off unless said, such as
`message.dedup`, is given as a whole. Where the spec has a word and not a section, as in `keep: until-done`, give the
whole value: `stream.retention.keep: {length: 1000}`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
