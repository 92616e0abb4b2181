"""The scaler would talk TLS and the workers would not.

`redis.auth.names_tls: true` says that the TriggerAuthentication for the scaler has the `tls` parameter itself. With
`redis.tls` off, the workers connect in plain text to the same address. One of the two is refused.

Set `redis.tls: true` if the server talks TLS, else take `names_tls` out.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import EnvironmentContext
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem
from penstock_spec.rules.define import platform_rule


@platform_rule(Severity.WARNING)
def rule(subject: EnvironmentContext) -> Iterator[Problem]:
    redis = subject.platform.redis
    if redis.auth is not None and redis.auth.names_tls and not redis.tls:
        message = "the scaler's authentication has TLS, and `redis.tls` is off for the workers"
        yield subject.problem("redis.auth.names_tls", message, "set `redis.tls: true`, or take it out")
