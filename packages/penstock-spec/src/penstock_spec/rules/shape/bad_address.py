"""A Redis address is not `host:port`.

Addresses in the platform file are `host:port` and nothing else. The generator writes them into the configuration of
workers and into KEDA's triggers, which express address, database and TLS in different ways; a URL would fit only one
of them.

Write `redis.media.svc:6379`, or `[fd00::7]:6379` for an IPv6 address. The other parts of a URL have their own fields:
`redis.database`, `redis.tls`, and `redis.auth` for the secret.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
