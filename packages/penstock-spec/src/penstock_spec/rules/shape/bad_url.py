"""A URL is not valid.

Links in alerts start with `runbooks` or `grafana`, and `shutdown.sidecar_quit_url` is called when a pod shuts down. All
of them need `http://` or `https://` and a host.

Write the full address, such as `https://runbooks.example/penstock` or `http://127.0.0.1:15020/quitquitquit`.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
