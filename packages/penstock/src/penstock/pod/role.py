"""What a role of Penstock says of itself, and what it gets from its process."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from penstock import __version__
from penstock.observe.board import Board
from penstock.observe.events import Event
from penstock.observe.health import AskRedis, Route
from penstock.observe.heart import Heart
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
    """What a command gives to every role."""

    process: Process
    """Who logs."""
    credentials: Credentials
    listen: tuple[str, int] | None
    """Host and port of the HTTP server; None for no server."""


@dataclass(frozen=True, slots=True)
class Limits:
    """For how many seconds the event loop may be blocked."""

    live: float
    """Then `/livez` fails."""
    fatal: float | None = None
    """Then the process exits with `BROKEN`; None: never."""
    spare_start: bool = False
    """Neither limit counts before the pod is ready: a handler's `lifespan` may load a model for minutes."""


@dataclass(frozen=True, slots=True)
class RedisCheck:
    """What `/internal/health/redis` answers."""

    ask: AskRedis
    field: str = "group"
    """The name of the field that says whether what the pod works on exists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A role that was built in the event loop and is ready to run there."""

    run: Callable[[], Awaitable[int]]
    """Runs until the drain is over. The result is the exit code."""
    drain: Callable[[], None]
    """Begins the drain. A second call changes nothing."""
    redis: RedisCheck
    routes: Mapping[str, Route] = field(default_factory=dict)
    """Further pages of the HTTP server, by path."""
    is_busy: Callable[[], bool] = lambda: False
    """Asked after `run`: whether handlers still run. The process then ends without waiting for their threads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """One kind of process: a worker, a scheduler, a janitor."""

    log: Log
    started: Event
    stopped: Event
    fields: Mapping[str, object]
    """Fields of `started`."""
    limits: Limits
    build: Callable[[Pod], Program]
    """Called once, in the event loop. Raises CannotGoOn."""
    files_changed: Callable[[], bool] | None = None
    """Asked every few seconds, in a thread. Once it is true the pod drains, to be restarted with the new files."""
    sidecar_quit_url: str | None = None
    """A POST to it ends the sidecar after the drain."""


@dataclass(frozen=True, slots=True)
class Pod:
    """The process, for the role that is built in it."""

    start: Start
    board: Board
    readiness: Readiness
    heart: Heart
    side: SideLoop

    def announce(self, metrics: Metrics, digest: str, info: Metric, loop_lag: Metric | None = None) -> None:
        """Set the metrics that say what runs here, and how late the event loop is."""
        metrics.gauge(info, metrics.role, __version__, digest).set(1)
        if loop_lag is not None:
            metrics.gauge(loop_lag).follow(self.heart.lag)

    def dependencies(
        self,
        target: Target,
        metrics: Metrics,
        redis_seconds: Metric,
        sent_whole: Callable[[Script], object] | None = None,
    ) -> Dependencies:
        """What a program needs whose connections all lead to one spec's keys."""
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
        """As `check_redis`, on a connection to the target."""
        return RedisCheck(lambda: check_redis(link_to(target, self.start.credentials, "health"), *command), field)
