"""A field without a default is missing.

A pipeline has a default for nearly everything, but nobody can guess its `kind`, `name`, `owner`, `handler` and
`image`. Some sections have such fields too: `message.dedup` without `window`, or a patch without `reason`, says only
half.

Add the field. The hint has an example of it; `penstock new` writes a spec in which all that is needed stands already.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
