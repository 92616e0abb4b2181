"""A JSON pointer is not valid.

The `path` of a patch says which value of the generated manifest it changes. It is a JSON pointer (RFC 6901), as in
JSON Patch: it starts with `/`, and each step is a key or the index of a list item. With dots, `spec.replicas` would be
one long key.

Write `/spec/template/spec/nodeSelector`. Inside a key, write `/` as `~1` and `~` as `~0`:
`/metadata/annotations/example.com~1team`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
