"""A required field is missing.

Nearly every field of a pipeline has a default, but `kind`, `name`, `owner`, `handler` and `image` cannot be guessed.
Some sections have required fields too: `message.dedup` needs a `window`, and a patch needs a `reason`.

Add the field. The hint shows an example; `penstock new` writes a spec with all required fields.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
