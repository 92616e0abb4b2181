"""Who talks to Redis, and with what: scripts, commands, keys."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache

from penstock_spec.kinds.pipeline.rights.scripts import CALLED
from penstock_spec.kinds.pipeline.rules.scaler.scaler_acl_too_narrow import ALWAYS, BY_GROUP, BY_LENGTH
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Redis
from penstock_spec.rights.connection import database, of_connection


class Role(StrEnum):
    """Who."""

    PRODUCER = "producer"
    WORKER = "worker"
    SCALER = "scaler"
    JANITOR = "janitor"
    OPERATOR = "operator"
    """A person, with `penstock status`, `dlq`, `peek`, `tail` and `send`."""


OF_A_PIPELINE = (Role.PRODUCER, Role.WORKER, Role.SCALER)

SCRIPTS: Mapping[Role, frozenset[str]] = {
    Role.PRODUCER: frozenset({"send"}),
    Role.WORKER: frozenset(
        {
            *("ensure", "register", "renew", "deregister", "claim", "promote", "measure", "overdue", "take_over"),
            *("settle", "settle_with", "park", "bury", "give_back"),
        }
    ),
    Role.SCALER: frozenset(),
    Role.JANITOR: frozenset(
        {
            *("lead", "ensure", "promote", "overdue", "take_over", "measure", "trim", "remove_ghost"),
            *("reconcile_parked", "reconcile_due", "reconcile_left", "reconcile_delayed", "reconcile_stream"),
        }
    ),
    Role.OPERATOR: frozenset({"measure", "replay", "send"}),
}

COMMANDS: Mapping[Role, frozenset[str]] = {
    Role.PRODUCER: frozenset({"get"}),
    Role.WORKER: frozenset({"xreadgroup", "xpending", "client|unblock", "ping", "info"}),
    Role.SCALER: frozenset(),
    Role.JANITOR: frozenset(
        {
            *("ping", "info", "time", "xlen", "xtrim", "xrange", "xpending", "xinfo|groups", "xinfo|consumers"),
            *("zcard", "zcount", "zrange", "zrangebyscore", "zmscore", "hlen", "hexists", "hset", "hscan", "sismember"),
        }
    ),
    Role.OPERATOR: frozenset(
        {
            *("time", "get", "xdel", "xread", "xrange", "xrevrange", "xpending"),
            *("xinfo|stream", "xinfo|groups", "xinfo|consumers", "zrange", "zscore", "hget"),
        }
    ),
}
"""Those that are sent as they are; what scripts call is read from them."""

AT_TIMES: Mapping[str, Mapping[str, frozenset[str]]] = {
    "send": {
        "dedup": frozenset({"mget", "set"}),
        "drops": frozenset({"xrange", "xdel", "xpending", "hexists", "xinfo|groups"}),
        "history": frozenset({"xinfo|groups", "xinfo|stream"}),
    },
    "reconcile_stream": {"until-done": frozenset({"spop", "xdel"})},
    "trim": {"history": frozenset({"xdel"})},
}
"""What a script calls only where a spec says so. Some of it reads messages, or removes them."""

SENT_AT_TIMES: Mapping[Role, Mapping[str, frozenset[str]]] = {
    Role.JANITOR: {"until-done": frozenset({"sismember"})},
}
"""The same of what is sent as it is."""


def commands_of(role: Role, spec: Pipeline, redis: Redis) -> frozenset[str]:
    """All that it needs."""
    says = {
        "dedup": spec.message.dedup is not None,
        "drops": spec.stream.backlog.when_full == "drop-oldest",
        "until-done": spec.stream.retention.keeps_nothing,
        "history": not spec.stream.retention.keeps_nothing,
    }
    said = frozenset(name for name, so in says.items() if so)
    if role is Role.SCALER:
        return _of_scaler(redis.topology, by_length="until-done" in said) | database(redis)
    return _commands(role, said) | of_connection(redis)


def _of_scaler(topology: str, *, by_length: bool) -> frozenset[str]:
    finds = {"cluster|slots"} if topology == "cluster" else set()
    return frozenset({*ALWAYS, *(BY_LENGTH if by_length else BY_GROUP), *finds})


@cache  # there are a few dozen combinations, however many pipelines
def _commands(role: Role, said: frozenset[str]) -> frozenset[str]:
    scripts = {word for name in SCRIPTS[role] for word in CALLED[name] - _left_out(AT_TIMES.get(name, {}), said)}
    sent = COMMANDS[role] - _left_out(SENT_AT_TIMES.get(role, {}), said)
    return sent | scripts


def _left_out(at_times: Mapping[str, frozenset[str]], said: frozenset[str]) -> frozenset[str]:
    """What a spec that says this never makes them say."""
    called = frozenset(word for when, words in at_times.items() if when in said for word in words)
    return frozenset(word for words in at_times.values() for word in words) - called
