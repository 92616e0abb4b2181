"""The description of a role, and what it gets from its process."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from penstock import __version__
from penstock.observe.collector import Collector
from penstock.observe.events import Event
from penstock.observe.health import AskRedis, Route
from penstock.observe.heartbeat import Heartbeat
from penstock.observe.lines import Process
from penstock.observe.logs import Log
from penstock.observe.metrics import Metrics
from penstock.observe.readiness import Readiness
from penstock.pod.dependencies import Dependencies, SideLoop
from penstock.pod.links import Target, link_to
from penstock.pod.redis_check import check_redis
from penstock.scripts import Script
from penstock.wire.command import Argument
from penstock.wire.credentials import Credentials
from penstock_spec.metrics import Metric


@dataclass(frozen=True, slots=True)
class Start:
    """The settings of a process that a command passes to every role."""

    process: Process
    """The process, as log lines describe it."""
    credentials: Credentials
    listen: tuple[str, int] | None
    """Host and port of the HTTP server; None for no server."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for a blocked event loop, in seconds."""

    live: float
    """After this time, `/livez` fails."""
    fatal: float | None = None
    """After this time, the process exits with `BROKEN`; None for never."""
    spare_start: bool = False
    """Whether neither limit applies before the pod is ready: a handler's `lifespan` may load a model for minutes."""


@dataclass(frozen=True, slots=True)
class RedisCheck:
    """The check behind `/internal/health/redis`."""

    ask: AskRedis
    field: str = "group"
    """The name of the answer's field that says whether the pod's group or set exists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A role that was built in the event loop in which it will run."""

    run: Callable[[], Awaitable[int]]
    """Runs until the drain is over, and returns the exit code."""
    drain: Callable[[], None]
    """Starts the drain. A second call changes nothing."""
    redis: RedisCheck
    routes: Mapping[str, Route] = field(default_factory=dict)
    """Additional routes of the HTTP server, by path."""
    is_busy: Callable[[], bool] = lambda: False
    """Called after `run`: whether handlers still run. If so, the process ends without waiting for their threads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """One kind of process: a worker, a scheduler, a janitor."""

    log: Log
    started: Event
    stopped: Event
    fields: Mapping[str, object]
    """Fields of the event `started`."""
    limits: Limits
    build: Callable[[Pod], Program]
    """Called once, in the event loop. Raises CannotGoOn."""
    files_changed: Callable[[], bool] | None = None
    """Called every few seconds, in a thread. When it returns True, the pod drains and restarts with the new files."""
    sidecar_quit_url: str | None = None
    """The URL of a POST that ends the sidecar after the drain."""


@dataclass(frozen=True, slots=True)
class Pod:
    """The process, as a role sees it."""

    start: Start
    collector: Collector
    readiness: Readiness
    heartbeat: Heartbeat
    side: SideLoop

    def announce(self, metrics: Metrics, digest: str, info: Metric, loop_lag: Metric | None = None) -> None:
        """Set the metrics of the version and digest, and of the event loop's lag."""
        metrics.gauge(info, metrics.role, __version__, digest).set(1)
        if loop_lag is not None:
            metrics.gauge(loop_lag).follow(self.heartbeat.lag)

    def dependencies(
        self,
        target: Target,
        metrics: Metrics,
        redis_seconds: Metric,
        sent_whole: Callable[[Script], object] | None = None,
    ) -> Dependencies:
        """The dependencies of a program whose connections all lead to one spec's keys."""
        answered = metrics.histogram(redis_seconds).observe
        credentials = self.start.credentials
        return Dependencies(
            link=lambda name: link_to(target, credentials, name, answered=answered, sent_whole=sent_whole),
            side=self.side,
            metrics=metrics,
            readiness=self.readiness,
            host=os.environ.get("POD_NAME") or self.start.process.host,
            process=self.start.process,
        )

    def redis_check(self, target: Target, *command: Argument, field: str = "group") -> RedisCheck:
        """A check of the target's Redis; see `check_redis`."""
        return RedisCheck(lambda: check_redis(link_to(target, self.start.credentials, "health"), *command), field)
