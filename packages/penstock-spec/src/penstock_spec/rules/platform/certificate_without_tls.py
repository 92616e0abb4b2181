"""A client certificate is set and TLS is off.

`redis.certificate` names the certificate that pods and the scaler present to Redis. Only a TLS connection has one: with
`redis.tls` off, pods refuse to start.

Set `redis.tls: true` and use the address's TLS port; or remove `certificate`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import EnvironmentContext
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem
from penstock_spec.rules.define import platform_rule


@platform_rule(Severity.ERROR)
def rule(subject: EnvironmentContext) -> Iterator[Problem]:
    redis = subject.platform.redis
    if redis.certificate is not None and not redis.tls:
        message = f"the client certificate `{redis.certificate.secret}` cannot be presented without TLS"
        yield subject.problem("redis.certificate", message, "set `redis.tls: true`, or remove `certificate`")
