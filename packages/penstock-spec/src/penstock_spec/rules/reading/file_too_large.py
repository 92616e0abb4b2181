"""The file is too large to be a spec.

A spec that uses every section has about 4 KiB and a hundred values. Penstock reads up to 128 KiB and 5,000 values and
refuses larger files, so that a file that is in the folder by mistake cannot block an editor or a CI run.

If it is a spec, its largest part is probably the schema of its messages. Define that schema as a model in your code
and write `message: {schema: {model: "media.models:Job"}}`; `penstock schema message --write` puts it into a file of
its own. If it is not a spec, move it out of `specs/`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
