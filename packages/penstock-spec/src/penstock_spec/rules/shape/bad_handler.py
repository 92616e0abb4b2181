"""A handler is not a module and a name in it.

The worker imports the module and looks the function up in it, so it needs both, with a colon between them:
`media.jobs:handle`. A path of a file is not what Python imports. The same form names the model of a message schema:
`media.models:Job`.

Write the module as an `import` statement would, then `:`, then the function. It must be importable in the image.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
