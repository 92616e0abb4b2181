"""A key is not text.

To YAML, `403:` is a number, `true:` a boolean, and `null:` or `~:` null; `{{ name }}` is a section inside a section.
No field has such a name. Where you choose the keys, as in `retries.classes`, JSON and Kubernetes accept only text.

Quote the key: `"403": ...`. Penstock does not fill in templates such as `{{ name }}`: put values that differ between
environments under `environments`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
