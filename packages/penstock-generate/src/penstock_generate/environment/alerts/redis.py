"""Redis: what our own processes meet, and what `redis_exporter` tells of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from penstock_generate.alerts.define import QUARTER, SHARE, STEPS, Alert, Query, Series
from penstock_generate.inputs.plan import PlannedEnvironment
from penstock_spec.kinds.pipeline.metrics import process
from penstock_spec.platform import Redis

SEVERAL = 2
"""Pipelines: what one alone meets is its own affair."""
FAILED = 10
"""Calls in five minutes."""
NEARLY_FULL = 0.95
SLOW = 0.2
"""Seconds; an answer takes less than a hundredth of it."""


def of(it: PlannedEnvironment, here: Series) -> Iterator[Alert]:
    """Redis: what our own processes meet, and what `redis_exporter` tells of it."""
    redis = it.around.redis
    if it.tended:
        yield from _met(redis, len(it.tended), here)
    yield from _there(redis, here)
    yield from _room(redis, here)
    yield from _kept(here)


def _met(redis: Redis, pipelines: int, here: Series) -> Iterator[Alert]:
    yield Alert(
        "PenstockRedisFailing",
        "critical",
        _failing(here),
        ">=",
        max(1, min(SEVERAL, pipelines)),
        5,
        "Redis fails several pipelines.",
        f"Of {{value}} pipelines more than {FAILED} calls failed in 5 minutes.",
    )
    answer = redis.timeouts.answer
    took = process.REDIS_SECONDS.name
    yield Alert(
        "PenstockRedisSlow",
        "warning",
        here.ratio(f"{took}_sum", f"{took}_count", 5),
        ">",
        max(SLOW, answer.seconds / 10),
        10,
        "Redis is slow.",
        f"An answer takes {{value}} s on average; after {answer} (`redis.timeouts.answer`) it counts as lost.",
        "s",
    )


def _failing(here: Series) -> Query:
    """How many pipelines see more errors than a blip brings."""
    errors = here.of(process.REDIS_ERRORS)

    def feed(value: float) -> Mapping[str, str]:
        return {here.of(process.REDIS_ERRORS, pipeline=f"p{one}"): f"0+{FAILED}x{STEPS}" for one in range(int(value))}

    return Query(f"count(sum by (pipeline) (increase({errors}[5m])) > {FAILED})", feed, 6)


def _there(redis: Redis, here: Series) -> Iterator[Alert]:
    yield Alert(
        "PenstockRedisDown",
        "critical",
        here.gauge("redis_up"),
        "<",
        1,
        2,
        "Redis does not answer.",
        "No server of it answers redis_exporter; nothing is sent, worked on or scaled.",
    )
    yield Alert(
        "PenstockRedisUnwatched",
        "warning",
        here.missing("redis_up"),
        ">=",
        1,
        QUARTER,
        "Nobody watches Redis.",
        "Nobody tells `redis_up` here: without redis_exporter the other alerts on Redis never fire.",
    )
    if redis.topology == "standalone":
        return
    up = here.of("redis_up")
    yield Alert(
        "PenstockRedisServerDown",
        "warning",
        Query(f"sum({up} == bool 0)", lambda value: {up: f"{0 if value else 1}+0x{STEPS}"}),
        ">=",
        1,
        5,
        "A server of Redis does not answer.",
        "{value} of its servers are away; one more may take messages with it.",
    )
    yield Alert(
        "PenstockRedisReplicationBroken",
        "warning",
        here.gauge("redis_master_link_up", "min"),
        "<",
        1,
        5,
        "A replica of Redis has lost its master.",
        "Were it promoted now, what was acknowledged since would be lost.",
    )


def _room(redis: Redis, here: Series) -> Iterator[Alert]:
    used = here.share("redis_memory_used_bytes", "redis_memory_max_bytes")
    says = "{value} of `maxmemory` is used; beyond it Redis refuses what is sent."
    high, full = "Redis fills up.", "Redis is nearly full."
    yield Alert("PenstockRedisMemoryHigh", "warning", used, ">", SHARE, QUARTER, high, says, "percentunit")
    yield Alert("PenstockRedisMemoryFull", "critical", used, ">", NEARLY_FULL, 2, full, says, "percentunit")
    if redis.connections is not None:
        yield Alert(
            "PenstockRedisConnectionsNearLimit",
            "warning",
            here.gauge("redis_connected_clients"),
            ">",
            int(redis.connections * SHARE),
            10,
            "Connections to Redis run out.",
            f"{{value}} of {redis.connections} (`redis.connections`) are open.",
        )
    yield Alert(
        "PenstockRedisRejectsConnections",
        "critical",
        here.grown("redis_rejected_connections_total", 5),
        ">=",
        1,
        0,
        "Redis turns connections away.",
        "{value} were rejected in 5 minutes; a worker that has to reconnect now loses its lease.",
    )


def _kept(here: Series) -> Iterator[Alert]:
    yield Alert(
        "PenstockRedisEvicts",
        "critical",
        here.grown("redis_evicted_keys_total", QUARTER),
        ">=",
        1,
        0,
        "Redis throws keys away.",
        "{value} keys were evicted: messages may be gone. Its `maxmemory-policy` must be `noeviction`.",
    )
    for name, metric, what in (
        ("PenstockRedisAofFailed", "redis_aof_last_write_status", "append-only file"),
        ("PenstockRedisSnapshotFailed", "redis_rdb_last_bgsave_status", "snapshot"),
    ):
        yield Alert(
            name,
            "critical",
            here.gauge(metric, "min"),
            "<",
            1,
            5,
            f"Redis could not write its {what}.",
            "It refuses to be written to while that lasts, as it is usually set up; a restart now loses messages.",
        )
