"""A Redis address is not a host and a port.

Addresses in the platform file are `host:port`, with nothing around them. The generator puts them into the
configuration of workers and into KEDA's triggers, which write address, database and TLS in different ways; a URL
would suit only one of them.

Write `redis.media.svc:6379`; an IPv6 address stands in brackets, `[fd00::7]:6379`. The rest of a URL goes into fields
of its own: `redis.database`, `redis.tls`, and `redis.auth` for the secret.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported

RULE = reported(__name__, Severity.ERROR)
