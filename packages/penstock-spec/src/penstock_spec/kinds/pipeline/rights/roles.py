"""The roles that use Redis, with their scripts and commands."""

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
    """A role that uses Redis."""

    PRODUCER = "producer"
    WORKER = "worker"
    SCALER = "scaler"
    JANITOR = "janitor"
    OPERATOR = "operator"
    """A person, with `penstock status`, `dlq`, `peek`, `tail` and `send`."""


PER_PIPELINE_ROLES = (Role.PRODUCER, Role.WORKER, Role.SCALER)

SCRIPTS: Mapping[Role, frozenset[str]] = {
    Role.PRODUCER: frozenset({"send"}),
    Role.WORKER: frozenset(
        {
            *("ensure", "register", "renew", "deregister", "claim", "promote", "measure", "overdue", "take_over"),
            *("settle", "settle_with", "park", "bury", "give_back", "recover", "adopt", "reconcile_stream"),
        }
    ),
    Role.SCALER: frozenset(),
    Role.JANITOR: frozenset(
        {
            *("lead", "ensure", "promote", "overdue", "take_over", "measure", "trim", "trim_dead", "remember"),
            *(
                "remove_ghost",
                "reconcile_parked",
                "reconcile_due",
                "reconcile_left",
                "reconcile_delayed",
                "reconcile_stream",
            ),
        }
    ),
    Role.OPERATOR: frozenset({"measure", "replay", "send"}),
}

COMMANDS: Mapping[Role, frozenset[str]] = {
    Role.PRODUCER: frozenset({"get"}),
    Role.WORKER: frozenset(
        {"xreadgroup", "xpending", "zcard", "client|unblock", "ping", "info", "xlen", "memory|usage"}
    ),
    Role.SCALER: frozenset(),
    Role.JANITOR: frozenset(
        {
            *("ping", "info", "time", "xlen", "xrange", "xpending", "xinfo|groups", "xinfo|consumers"),
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
"""Commands that are sent directly. Commands of scripts are listed in `CALLED`."""

CONDITIONAL: Mapping[str, Mapping[str, frozenset[str]]] = {
    "send": {
        "dedup": frozenset({"mget", "set"}),
        "drops": frozenset({"xrange", "xdel", "xpending", "hexists", "xinfo|groups"}),
        "history": frozenset({"xinfo|groups", "xinfo|stream"}),
        "until-done": frozenset({"scard"}),
    },
    "take_over": {"history": frozenset({"hsetnx"})},
    "trim": {"history": frozenset({"hkeys"})},
    "reconcile_stream": {"until-done": frozenset({"sismember", "spop", "srandmember", "srem", "xack", "xdel"})},
}
"""Commands that a script calls only for certain specs. Some of them read or delete messages."""

SENT_CONDITIONALLY: Mapping[Role, Mapping[str, frozenset[str]]] = {
    Role.WORKER: {"dead-letter-bytes": frozenset({"memory|usage"})},
    Role.JANITOR: {"until-done": frozenset({"sismember"})},
}
"""Commands that are sent directly only for certain specs."""


def commands_of(role: Role, spec: Pipeline, redis: Redis) -> frozenset[str]:
    """All commands that a role needs for a pipeline."""
    features = {
        "dedup": spec.message.dedup is not None,
        "dead-letter-bytes": spec.dead_letter.limit.bytes is not None,
        "drops": spec.stream.backlog.when_full == "drop-oldest",
        "until-done": spec.stream.retention.keeps_nothing,
        "history": not spec.stream.retention.keeps_nothing,
    }
    used = frozenset(name for name, enabled in features.items() if enabled)
    if role is Role.SCALER:
        return _of_scaler(redis.topology, by_length="until-done" in used) | database(redis)
    return _commands(role, used) | of_connection(redis)


def _of_scaler(topology: str, *, by_length: bool) -> frozenset[str]:
    discovery = {"cluster|slots"} if topology == "cluster" else set()
    return frozenset({*ALWAYS, *(BY_LENGTH if by_length else BY_GROUP), *discovery})


@cache  # a few dozen combinations, for any number of pipelines
def _commands(role: Role, used: frozenset[str]) -> frozenset[str]:
    scripts = {word for name in SCRIPTS[role] for word in CALLED[name] - _unused(CONDITIONAL.get(name, {}), used)}
    sent = COMMANDS[role] - _unused(SENT_CONDITIONALLY.get(role, {}), used)
    return sent | scripts


def _unused(conditional: Mapping[str, frozenset[str]], used: frozenset[str]) -> frozenset[str]:
    """The conditional commands that these features do not need."""
    called = frozenset(word for feature, words in conditional.items() if feature in used for word in words)
    return frozenset(word for words in conditional.values() for word in words) - called
