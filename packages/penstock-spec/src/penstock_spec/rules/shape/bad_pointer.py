"""A JSON pointer cannot be read.

The `path` of a patch says which value of the generated manifest is changed. It is a JSON pointer (RFC 6901), as in
JSON Patch: it starts with `/`, and each step is a key or the number of an item. The dots of `spec.replicas` would be
one long key.

Write `/spec/template/spec/nodeSelector`. A `/` within a key is written `~1` and a `~` is written `~0`:
`/metadata/annotations/example.com~1team`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
