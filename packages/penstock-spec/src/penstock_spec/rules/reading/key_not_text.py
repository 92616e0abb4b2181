"""A key is not a word.

To YAML, `403:` is a number, `true:` a boolean and `null:` or `~:` nothing at all; `{{ name }}` is a section within a
section. No field has such a name, and where keys are chosen, as in `retries.classes`, JSON and Kubernetes know only
text.

Put the key in quotes: `"403": ...`. A template such as `{{ name }}` is never filled in: what differs from one
environment to another belongs under `environments`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
