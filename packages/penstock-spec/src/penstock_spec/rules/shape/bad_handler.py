"""A handler is not written as `module:name`.

The worker imports the module and looks up the function in it, so it needs both, separated by a colon:
`media.jobs:handle`. Python does not import file paths. The model of a message schema has the same form:
`media.models:Job`.

Write the module as in an `import` statement, then `:`, then the function. The module must be importable in the image.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
