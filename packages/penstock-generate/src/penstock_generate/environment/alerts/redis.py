"""Alerts on Redis, over the metrics of Penstock's processes and of `redis_exporter`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from penstock_generate.alerts.define import QUARTER, SHARE, STEPS, Alert, Query, Series
from penstock_generate.inputs.plan import PlannedEnvironment
from penstock_spec.kinds.pipeline.metrics import process
from penstock_spec.platform import Redis

SEVERAL = 2
"""Pipelines: errors of a single one have their own alert."""
FAILED = 10
"""Calls in five minutes."""
NEARLY_FULL = 0.95
SLOW = 0.2
"""Seconds; a usual reply takes less than a hundredth of it."""


def of(it: PlannedEnvironment, here: Series) -> Iterator[Alert]:
    """The alerts of an environment."""
    redis = it.around.redis
    if it.maintained:
        yield from _seen_by_pipelines(redis, len(it.maintained), here)
    yield from _availability(redis, here)
    yield from _capacity(redis, here)
    yield from _durability(here)


def _seen_by_pipelines(redis: Redis, pipelines: int, here: Series) -> Iterator[Alert]:
    yield Alert(
        "PenstockRedisFailing",
        "critical",
        _failing(here),
        ">=",
        max(1, min(SEVERAL, pipelines)),
        5,
        "Several pipelines have errors from Redis.",
        f"In {{value}} pipelines more than {FAILED} calls failed in 5 minutes.",
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
        f"A reply takes {{value}} s on average; after {answer} (`redis.timeouts.answer`) it counts as lost.",
        "s",
    )


def _failing(here: Series) -> Query:
    """How many pipelines see more errors than a short interruption causes."""
    errors = here.of(process.REDIS_ERRORS)

    def test_series(value: float) -> Mapping[str, str]:
        return {here.of(process.REDIS_ERRORS, pipeline=f"p{one}"): f"0+{FAILED}x{STEPS}" for one in range(int(value))}

    return Query(f"count(sum by (pipeline) (increase({errors}[5m])) > {FAILED})", test_series, 6)


def _availability(redis: Redis, here: Series) -> Iterator[Alert]:
    yield Alert(
        "PenstockRedisDown",
        "critical",
        here.gauge("redis_up"),
        "<",
        1,
        2,
        "Redis does not answer.",
        "No server answers `redis_exporter`. Nothing is sent, worked on or scaled.",
    )
    yield Alert(
        "PenstockRedisUnwatched",
        "warning",
        here.missing("redis_up"),
        ">=",
        1,
        QUARTER,
        "Redis is not monitored.",
        "The metric `redis_up` is missing: without `redis_exporter` the other alerts on Redis never fire.",
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
        "A Redis server does not answer.",
        "Servers that are down: {value}. Losing another may lose messages.",
    )
    yield Alert(
        "PenstockRedisReplicationBroken",
        "warning",
        here.gauge("redis_master_link_up", "min"),
        "<",
        1,
        5,
        "A Redis replica has lost its connection to the master.",
        "A failover to it now would lose everything written since.",
    )


def _capacity(redis: Redis, here: Series) -> Iterator[Alert]:
    used = here.share("redis_memory_used_bytes", "redis_memory_max_bytes")
    description = "The share of `maxmemory` in use is {value}. When it is full, Redis rejects sends."
    high, full = "Redis is filling up.", "Redis is almost full."
    yield Alert("PenstockRedisMemoryHigh", "warning", used, ">", SHARE, QUARTER, high, description, "percentunit")
    yield Alert("PenstockRedisMemoryFull", "critical", used, ">", NEARLY_FULL, 2, full, description, "percentunit")
    if redis.connections is not None:
        yield Alert(
            "PenstockRedisConnectionsNearLimit",
            "warning",
            here.gauge("redis_connected_clients"),
            ">",
            int(redis.connections * SHARE),
            10,
            "Redis is running out of connections.",
            f"{{value}} of {redis.connections} connections (`redis.connections`) are open.",
        )
    yield Alert(
        "PenstockRedisRejectsConnections",
        "critical",
        here.increase("redis_rejected_connections_total", 5),
        ">=",
        1,
        0,
        "Redis rejects connections.",
        "{value} were rejected in 5 minutes. A worker that must reconnect now loses its lease.",
    )


def _durability(here: Series) -> Iterator[Alert]:
    yield Alert(
        "PenstockRedisEvicts",
        "critical",
        here.increase("redis_evicted_keys_total", QUARTER),
        ">=",
        1,
        0,
        "Redis evicts keys.",
        "Evicted keys: {value}. Messages may be lost. `maxmemory-policy` must be `noeviction`.",
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
            f"Redis cannot write its {what}.",
            "With usual settings it rejects writes until that is fixed. A restart now loses messages.",
        )
