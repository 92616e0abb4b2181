"""A URL cannot be read.

`runbooks` is where links in alerts start, and `shutdown.sidecar_quit_url` is called at the end of a worker. Without
`http://` or `https://` and a host neither can be followed.

Write the whole address, such as `https://runbooks.example/penstock` or `http://127.0.0.1:15020/quitquitquit`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
