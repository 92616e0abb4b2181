"""The common part of every `runbook.md`: names, and the commands to inspect a spec.

Each alert has a section under its own name, from the template `<kind>/runbook/<alert>.md.j2`. Its `runbook_url` leads
there.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from penstock_generate.alerts.define import Alert, names_in_queries
from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.pods.facts import Facts
from penstock_generate.rendering.placeholders import placeholder
from penstock_generate.rendering.promql import quoted
from penstock_spec.platform import Redis

SETUP = Markup(" (after the setup under [Inspect](#inspect))")


class Section(NamedTuple):
    """The facts about an alert that the runbook shows above its section."""

    name: str
    summary: str
    severity: str
    minutes: int
    expression: str


def common_values(it: PlannedSpec, facts: Facts, alerts: Sequence[Alert]) -> dict[str, Any]:
    """Values for the template by name."""
    redis = it.around.redis
    sentinel = _sentinel(redis)
    names = {placeholder(name): value for name, value in names_in_queries(it.around.namespace, it.name).items()}
    return {
        "spec": it.spec,
        "around": it.around,
        "environment": it.environment,
        "source": it.source,
        "image": facts.image,
        "alerts": [_section(alert, names) for alert in alerts],
        "secret": facts.secret.name if facts.secret else None,
        "password": _password(redis),
        "at": words(it.spec.name, "--env", it.environment),
        "kubectl": words("kubectl", "-n", it.around.namespace),
        "labels": ",".join(f"{label}={value}" for label, value in facts.selector.items()),
        "redis": Markup(" ").join(_redis(redis)),
        "sentinel": sentinel,
        "penstock_setup": SETUP if facts.secret else Markup(""),
        "redis_setup": SETUP if facts.secret or sentinel else Markup(""),
        "apply": f"kubectl apply -k generated/{it.folder}/manifests",
    }


def _section(alert: Alert, names: Mapping[str, str]) -> Section:
    expression = alert.expression
    for name, value in names.items():
        expression = expression.replace(name, value)
    return Section(alert.name, alert.summary, alert.severity, alert.minutes, expression)


def _password(redis: Redis) -> str:
    """A Go template for `kubectl` that prints the password in the secret; its key may contain dots."""
    return f"{{{{index .data {quoted(redis.auth.password_key if redis.auth else '')} | base64decode}}}}"


def _redis(redis: Redis) -> Iterator[Markup]:
    yield Markup("redis-cli")
    if redis.topology == "sentinel":
        yield Markup('-h "$REDIS_HOST" -p "$REDIS_PORT"')
    else:
        yield _server(redis.addresses[0])
    if redis.tls:
        yield Markup("--tls")
    if redis.topology == "cluster":
        yield Markup("-c")
    elif redis.database:
        yield words("-n", str(redis.database))
    if redis.auth and redis.auth.username:
        yield words("--user", redis.auth.username)


def _sentinel(redis: Redis) -> Markup | None:
    """The command that asks a sentinel for the address of the master."""
    if redis.topology != "sentinel" or redis.master is None:
        return None
    return Markup("redis-cli {} {}").format(
        _server(redis.addresses[0]), words("SENTINEL", "get-master-addr-by-name", redis.master)
    )


def _server(address: str) -> Markup:
    host, _, port = address.rpartition(":")
    return words("-h", host.strip("[]"), "-p", port)


def words(*each: str) -> Markup:
    """A quoted command, or a part of one."""
    return Markup(shlex.join(each))  # noqa: S704 - each is quoted for a shell
