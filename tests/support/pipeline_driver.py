"""Drives a pipeline in Redis: does what workers, janitors and foreign consumers do to it."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from raw_client import Reply
from servers import Server
from targets import Target

from penstock.clocks import Clocks
from penstock.janitor.kubernetes_pods import PodsApi, PodsUnknownError
from penstock.janitor.links import JanitorLinks
from penstock.janitor.metrics import JanitorMetrics
from penstock.janitor.monitor import PipelineMonitor
from penstock.janitor.rounds import Rounds
from penstock.keys import PARKED, READY, SUSPECT, PipelineKeys
from penstock.observe.collector import Collector
from penstock.observe.metrics import Metrics
from penstock.observe.values import Counter, Gauge
from penstock.resolved import ResolvedPipeline
from penstock.scripts import Script, script
from penstock.wire.credentials import Credentials
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.metrics import Metric, MetricKind
from penstock_spec.platform import Environment, Redis

LEASE = 10_000
UNENDING = 600_000
"""Milliseconds of a lease that must not expire during a test on a slow machine, though it is not renewed."""


def pipeline(redis: Redis, spec: str = "", name: str = "trial") -> ResolvedPipeline:
    """A pipeline with the sections of `spec`, as YAML, and everything it needs."""
    data: dict[str, Any] = {
        "kind": "pipeline",
        "name": name,
        "owner": {"team": "tests", "contact": "#tests"},
        "handler": "handlers:handle",
        "image": "registry.example/trial:1.0.0",
        "work": {"lease": "10s"},
    }
    data |= yaml.safe_load(spec) or {}
    data["stream"] = {"key": name, "group": name} | data.get("stream", {})
    data["dead_letter"] = {"key": f"{{{name}}}:{name}:dead"} | data.get("dead_letter", {})
    environment = Environment(namespace="tests", redis=redis)
    return ResolvedPipeline(Pipeline.model_validate(data), "dev", environment, Path("trial.yaml"))


class Clock:
    """A clock that stands still until the test moves it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def move(self, seconds: float) -> None:
        self.now += seconds


class UnknownPods:
    """An API that knows no pods."""

    def names(self) -> frozenset[str]:
        raise PodsUnknownError("no API server")

    def set_cost(self, pod: str, cost: int) -> None:
        raise PodsUnknownError(f"no API server for the cost {cost} of {pod}")


class Owned(NamedTuple):
    """The owner of an entry and its delivery count."""

    consumer: str
    deliveries: int


CLAIM_REST = ("roomy", "data", 1 << 18, 1 << 26)
"""The last arguments of `claim`: whether it can fork, the field with the body, its limit, and bytes to stop after."""


class PipelineDriver:
    """One pipeline and what happens to it."""

    def __init__(self, where: Target | Server, spec: str = "", name: str = "trial") -> None:
        self._where = where
        self._credentials = where.credentials if isinstance(where, Target) else Credentials(password=where.password)
        redis = where.redis if isinstance(where, Target) else where.model()
        self.pipeline = pipeline(redis, spec, name)
        self.keys: PipelineKeys = self.pipeline.keys
        self.collector = Collector()
        self.metrics = Metrics.of_spec("janitor", self.pipeline.spec, self.collector)

    # parts of a janitor

    def link(self) -> Link:
        return self._where.link(self.keys.stream) if isinstance(self._where, Target) else self._where.link()

    def links(self) -> JanitorLinks:
        return JanitorLinks.to(self.pipeline.redis, [self.pipeline], self._credentials)

    def janitor_metrics(self) -> JanitorMetrics:
        """Metrics of a leading janitor."""
        metrics = JanitorMetrics(self.metrics, self.pipeline.spec)
        metrics.lead(ours=True)
        return metrics

    def rounds(
        self,
        links: JanitorLinks,
        *,
        pods: PodsApi | None = None,
        monotonic: Callable[[], float] | None = None,
        metrics: JanitorMetrics | None = None,
    ) -> Rounds:
        clocks = Clocks() if monotonic is None else Clocks(monotonic=monotonic)
        return Rounds(self.pipeline, links.pairs[0], metrics or self.janitor_metrics(), pods or UnknownPods(), clocks)

    def monitor(self, links: JanitorLinks, metrics: JanitorMetrics | None = None) -> PipelineMonitor:
        return PipelineMonitor(self.pipeline, links.pairs[0], metrics or self.janitor_metrics(), Clocks())

    def counted(self, metric: Metric, *values: str) -> float:
        """The value of a counter or gauge."""
        child: Counter | Gauge
        if metric.kind is MetricKind.COUNTER:
            child = self.metrics.counter(metric, *values)
        else:
            child = self.metrics.gauge(metric, *values)
        return next(iter(child.samples())).value

    @asynccontextmanager
    async def janitor(
        self, *, pods: PodsApi | None = None, monotonic: Callable[[], float] | None = None
    ) -> AsyncIterator[Rounds]:
        """Rounds of a janitor, whose connections are closed at the end."""
        links = self.links()
        try:
            yield self.rounds(links, pods=pods, monotonic=monotonic)
        finally:
            await links.close()

    async def round(self, count: int = 1, *, pods: PodsApi | None = None) -> None:
        """Make rounds as a new janitor."""
        async with self.janitor(pods=pods) as rounds:
            for _ in range(count):
                assert await rounds.make(), "no part of the round fails"

    # the state in Redis

    def ask(self, *command: str | bytes | float) -> Reply:
        return self._where.ask(*command)

    def number(self, *command: str | bytes | float) -> int:
        reply = self.ask(*command)
        assert isinstance(reply, int), reply
        return reply

    def listed(self, *command: str | bytes | float) -> list[Any]:
        reply = self.ask(*command)
        assert isinstance(reply, list), reply
        return reply

    def now(self) -> int:
        """Redis time in ms."""
        seconds, micros = map(int, self.listed("TIME"))
        return seconds * 1000 + micros // 1000

    def entries(self) -> list[str]:
        return [entry[0] for entry in self.listed("XRANGE", self.keys.stream, "-", "+")]

    def pending(self) -> dict[str, Owned]:
        rows = self.listed("XPENDING", self.keys.stream, self.keys.group, "-", "+", 100_000)
        return {id_: Owned(owner, count) for id_, owner, _, count in rows}

    def owned(self, consumer: str) -> list[str]:
        return [id_ for id_, one in self.pending().items() if one.consumer == consumer]

    @property
    def ready(self) -> list[str]:
        return self.owned(READY)

    @property
    def suspect(self) -> list[str]:
        return self.owned(SUSPECT)

    @property
    def parked(self) -> list[str]:
        return self.owned(PARKED)

    def due(self) -> dict[str, int]:
        """Due times of parked messages."""
        flat = self.listed("ZRANGE", self.keys.parked, 0, -1, "WITHSCORES")
        return {id_: int(float(score)) for id_, score in zip(flat[::2], flat[1::2], strict=True)}

    def uncharged(self) -> dict[str, int]:
        flat = self.listed("HGETALL", self.keys.uncharged)
        return {
            id_: int(count.partition("@")[0])
            for id_, count in zip(flat[::2], flat[1::2], strict=True)
            if id_ != "~count"
        }

    def consumers(self) -> list[str]:
        rows = self.listed("XINFO", "CONSUMERS", self.keys.stream, self.keys.group)
        return [dict(zip(one[::2], one[1::2], strict=True))["name"] for one in rows]

    def everything(self) -> dict[str, Reply]:
        """Each key with its serialized value."""
        names: list[Any] = []
        servers = self._where.masters() if isinstance(self._where, Target) else [self._where]
        for server in servers:
            reply = server.ask("KEYS", "*")
            assert isinstance(reply, list)
            names += reply
        return {name: self.ask("DUMP", name) for name in sorted(names)}

    # actions of other processes

    def create_group(self) -> None:
        """Create the group as the janitor does."""
        self.ask("XGROUP", "CREATE", self.keys.stream, self.keys.group, "0", "MKSTREAM")
        self.ask("HSET", self.keys.position, "since", self.now())

    def add(self, count: int = 1, size: int = 0) -> list[str]:
        """Send messages as any Redis client would; return their ids."""
        ids = []
        for number in range(count):
            data = f'{{"n": {number}}}' + " " * size
            ids.append(str(self.ask("XADD", self.keys.stream, "*", "data", data)))
        return ids

    def join_group(self, name: str = "worker", lease: int = UNENDING) -> str:
        """Register a worker's consumer; a negative lease has already expired. Return the consumer's name."""
        consumer = f"{name}~{secrets.token_hex(4)}"
        self.ask("XGROUP", "CREATECONSUMER", self.keys.stream, self.keys.group, consumer)
        self.ask("ZADD", self.keys.alive, self.now() + lease, consumer)
        return consumer

    def read(self, consumer: str, count: int = 100) -> list[str]:
        """Read new messages for a consumer; return their ids."""
        group = ("GROUP", self.keys.group, consumer, "COUNT", count)
        reply = self.ask("XREADGROUP", *group, "STREAMS", self.keys.stream, ">")
        if reply is None:
            return []
        assert isinstance(reply, list)
        stream: Any = reply[0]
        return [entry[0] for entry in stream[1]]

    def lost(self, count: int, name: str = "worker") -> list[str]:
        """Send messages that a worker with an expired lease has read."""
        self.add(count)
        return self.read(self.join_group(name, lease=-1), count)

    def park(self, ids: Iterable[str], *, wait: int = 0) -> None:
        """Park messages as a worker does after a failure."""
        for id_ in ids:
            due = self.now() + wait
            self.ask("ZADD", self.keys.parked, due, id_)
            self.ask("XCLAIM", self.keys.stream, self.keys.group, PARKED, 0, id_, "JUSTID")

    def run(self, name: str, keys: Iterable[str], *args: str | float) -> Reply:
        """Run a script with the keys and arguments of its header."""
        one: Script = script(name)
        listed = list(keys)
        return self.ask("EVAL", one.text, len(listed), *listed, *args)

    def claim(self, consumer: str, count: int = 100) -> list[Any]:
        """Claim suspect and ready messages as a worker does: how many were gone, how many wait, and each claimed."""
        reply = self.try_claim(consumer, count)
        assert isinstance(reply, list), reply
        return reply

    def try_claim(self, consumer: str, count: int = 100) -> Reply:
        """Claim for a worker whose lease may be lost."""
        keys = (self.keys.stream, self.keys.alive, self.keys.uncharged, self.keys.crashed, self.keys.position)
        return self.run("claim", keys, self.keys.group, consumer, count, count, 5, "idle", 60_000, *CLAIM_REST)

    def ensure(self, delivered: str = "") -> Reply:
        """Create the group as a worker does; `delivered` is an entry that it knows to have been delivered before."""
        keys = self.keys
        script_keys = (keys.stream, keys.parked, keys.uncharged, keys.crashed, keys.position, keys.finished, keys.alive)
        kept = "until-done" if self.pipeline.spec.stream.retention.keeps_nothing else "history"
        return self.run("ensure", script_keys, keys.group, kept, delivered)

    def settle(self, consumer: str, fences: Mapping[str, int]) -> Reply:
        """Settle messages with these delivery counts as a worker does."""
        bounds = [min(fences), max(fences)]
        pairs = [value for fence in fences.items() for value in fence]
        keys = (self.keys.stream, self.keys.uncharged, self.keys.crashed, self.keys.finished)
        return self.run(
            "settle",
            keys,
            self.keys.group,
            consumer,
            int(self.pipeline.spec.stream.retention.keeps_nothing),
            *bounds,
            *pairs,
        )
