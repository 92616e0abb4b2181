"""A pipeline in a Redis, and hands to do what workers, janitors and strangers do to it."""

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
from penstock.observe.board import Board
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
"""Milliseconds of a lease that must not expire during a test, however slow the machine is; nobody renews it."""


def pipeline(redis: Redis, spec: str = "", name: str = "trial") -> ResolvedPipeline:
    """Sections of `spec`, as YAML, beside all that a pipeline needs."""
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
    """Ours, which stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def move(self, seconds: float) -> None:
        self.now += seconds


class UnknownPods:
    """Pods of which nothing is known."""

    def names(self) -> frozenset[str]:
        raise PodsUnknownError("nobody knows")

    def set_cost(self, pod: str, cost: int) -> None:
        raise PodsUnknownError(f"nobody knows {pod}, or makes it cost {cost}")


class Owned(NamedTuple):
    """Who has an entry, and how often it was delivered."""

    consumer: str
    deliveries: int


class PipelineDriver:
    """One pipeline."""

    def __init__(self, where: Target | Server, spec: str = "", name: str = "trial") -> None:
        self._where = where
        self._credentials = where.credentials if isinstance(where, Target) else Credentials(password=where.password)
        redis = where.redis if isinstance(where, Target) else where.model()
        self.pipeline = pipeline(redis, spec, name)
        self.keys: PipelineKeys = self.pipeline.keys
        self.board = Board()
        self.metrics = Metrics.of_spec("janitor", self.pipeline.spec, self.board)

    # what a janitor is made of

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
        """A counter or gauge, as it is shown."""
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
        """Rounds, with connections that end."""
        links = self.links()
        try:
            yield self.rounds(links, pods=pods, monotonic=monotonic)
        finally:
            await links.close()

    async def round(self, count: int = 1, *, pods: PodsApi | None = None) -> None:
        """Rounds of a janitor that begins."""
        async with self.janitor(pods=pods) as rounds:
            for _ in range(count):
                assert await rounds.make(), "nothing failed"

    # what is in Redis

    def ask(self, *command: str | bytes | float) -> Reply:
        return self._where.ask(*command)

    def number(self, *command: str | bytes | float) -> int:
        told = self.ask(*command)
        assert isinstance(told, int), told
        return told

    def listed(self, *command: str | bytes | float) -> list[Any]:
        told = self.ask(*command)
        assert isinstance(told, list), told
        return told

    def now(self) -> int:
        """Redis's time in ms."""
        seconds, micros = map(int, self.listed("TIME"))
        return seconds * 1000 + micros // 1000

    def entries(self) -> list[str]:
        return [entry[0] for entry in self.listed("XRANGE", self.keys.stream, "-", "+")]

    def pending(self) -> dict[str, Owned]:
        told = self.listed("XPENDING", self.keys.stream, self.keys.group, "-", "+", 100_000)
        return {id_: Owned(owner, count) for id_, owner, _, count in told}

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
        """Due times of what is parked."""
        told = self.listed("ZRANGE", self.keys.parked, 0, -1, "WITHSCORES")
        return {id_: int(float(score)) for id_, score in zip(told[::2], told[1::2], strict=True)}

    def uncharged(self) -> dict[str, int]:
        told = self.listed("HGETALL", self.keys.uncharged)
        return {id_: int(count) for id_, count in zip(told[::2], told[1::2], strict=True) if id_ != "~count"}

    def consumers(self) -> list[str]:
        told = self.listed("XINFO", "CONSUMERS", self.keys.stream, self.keys.group)
        return [dict(zip(one[::2], one[1::2], strict=True))["name"] for one in told]

    def everything(self) -> dict[str, Reply]:
        """Each key with all that is in it."""
        names: list[Any] = []
        servers = self._where.masters() if isinstance(self._where, Target) else [self._where]
        for server in servers:
            told = server.ask("KEYS", "*")
            assert isinstance(told, list)
            names += told
        return {name: self.ask("DUMP", name) for name in sorted(names)}

    # what others do

    def create_group(self) -> None:
        """The group, as the janitor would."""
        self.ask("XGROUP", "CREATE", self.keys.stream, self.keys.group, "0", "MKSTREAM")
        self.ask("HSET", self.keys.position, "since", self.now())

    def add(self, count: int = 1, size: int = 0) -> list[str]:
        """Messages of anyone's."""
        ids = []
        for number in range(count):
            data = f'{{"n": {number}}}' + " " * size
            ids.append(str(self.ask("XADD", self.keys.stream, "*", "data", data)))
        return ids

    def join_group(self, name: str = "worker", lease: int = UNENDING) -> str:
        """A worker begins a life, with that much of its lease left; or over for so long."""
        consumer = f"{name}~{secrets.token_hex(4)}"
        self.ask("XGROUP", "CREATECONSUMER", self.keys.stream, self.keys.group, consumer)
        self.ask("ZADD", self.keys.alive, self.now() + lease, consumer)
        return consumer

    def read(self, consumer: str, count: int = 100) -> list[str]:
        """New messages for it."""
        group = ("GROUP", self.keys.group, consumer, "COUNT", count)
        told = self.ask("XREADGROUP", *group, "STREAMS", self.keys.stream, ">")
        if told is None:
            return []
        assert isinstance(told, list)
        stream: Any = told[0]
        return [entry[0] for entry in stream[1]]

    def lost(self, count: int, name: str = "worker") -> list[str]:
        """Messages that a worker holds whose lease is over."""
        self.add(count)
        return self.read(self.join_group(name, lease=-1), count)

    def park(self, ids: Iterable[str], *, wait: int = 0) -> None:
        """As a worker does when they failed."""
        for id_ in ids:
            due = self.now() + wait
            self.ask("ZADD", self.keys.parked, due, id_)
            self.ask("XCLAIM", self.keys.stream, self.keys.group, PARKED, 0, id_, "JUSTID")

    def run(self, name: str, keys: Iterable[str], *args: str | float) -> Reply:
        """A script, as its header says."""
        one: Script = script(name)
        listed = list(keys)
        return self.ask("EVAL", one.text, len(listed), *listed, *args)

    def claim(self, consumer: str, count: int = 100) -> list[Any]:
        """As a worker does, suspects and what is ready: how many were gone, how many wait, and each that it got."""
        told = self.try_claim(consumer, count)
        assert isinstance(told, list), told
        return told

    def try_claim(self, consumer: str, count: int = 100) -> Reply:
        """The same, by a worker whose lease may be lost."""
        keys = (self.keys.stream, self.keys.alive, self.keys.uncharged, self.keys.crashed, self.keys.position)
        return self.run("claim", keys, self.keys.group, consumer, count, count, 5, "idle", 60_000)

    def settle(self, consumer: str, fences: Mapping[str, int]) -> Reply:
        """As a worker does: what it has with these counts is done."""
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
