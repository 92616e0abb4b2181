"""The scaler uses TLS and the workers do not.

`redis.auth.names_tls: true` says that the scaler's TriggerAuthentication contains the `tls` parameter. With
`redis.tls` off, workers connect to the same address in plain text. One of the two is refused.

Set `redis.tls: true` if the server uses TLS; otherwise remove `names_tls`.
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
        message = "the scaler's TriggerAuthentication has TLS, but `redis.tls` is off for the workers"
        yield subject.problem("redis.auth.names_tls", message, "set `redis.tls: true`, or remove `names_tls`")
