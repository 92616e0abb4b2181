"""`runbook.md`: what to look at and what to do, with this pipeline's own numbers, keys and commands.

Each alert has a section under its own name, from the template `pipeline/runbook/<alert>.md.j2`; there its `runbook_url`
leads.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from markupsafe import Markup

from penstock_generate.artifact import Artifact
from penstock_generate.kinds.pipeline.alerts import Alert
from penstock_generate.kinds.pipeline.facts import Facts
from penstock_generate.plan import Planned
from penstock_generate.promql import quoted
from penstock_generate.rendering import Templates
from penstock_spec.kinds.pipeline.keys import STATES, Keys
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Redis


def runbook(it: Planned, facts: Facts, alerts: list[Alert], templates: Templates) -> Artifact:
    """The file."""
    spec: Pipeline = it.spec
    name = "pipeline/runbook.md"
    values = {
        "spec": spec,
        "around": it.around,
        "environment": it.environment,
        "source": it.source,
        "image": facts.image,
        "keys": Keys.of(spec),
        "states": STATES,
        "alerts": alerts,
        "secret": facts.secret.name if facts.secret else None,
        "password": _password(it.around.redis),
        "at": _words(spec.name, "--env", it.environment),
        "kubectl": _words("kubectl", "-n", it.around.namespace),
        "labels": ",".join(f"{label}={value}" for label, value in facts.selector.items()),
        "redis": Markup(" ").join(_redis(it.around.redis)),
        "sentinel": _sentinel(it.around.redis),
    }
    return templates.artifact(f"{it.folder}/runbook.md", name, values)


def _password(redis: Redis) -> str:
    """Where it stands in the secret, as `kubectl` reads it out; a key may have dots in it."""
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
        yield _words("-n", str(redis.database))
    if redis.auth and redis.auth.username:
        yield _words("--user", redis.auth.username)


def _sentinel(redis: Redis) -> Markup | None:
    """What asks for the address of the master."""
    if redis.topology != "sentinel" or redis.master is None:
        return None
    return Markup("redis-cli {} {}").format(
        _server(redis.addresses[0]), _words("SENTINEL", "get-master-addr-by-name", redis.master)
    )


def _server(address: str) -> Markup:
    host, _, port = address.rpartition(":")
    return _words("-h", host.strip("[]"), "-p", port)


def _words(*words: str) -> Markup:
    return Markup(shlex.join(words))  # noqa: S704 - each is quoted for a shell
