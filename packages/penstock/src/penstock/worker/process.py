"""A worker as a process of its own: its loop, its threads, its signals, and what it answers over HTTP."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import uvloop

from penstock import __version__
from penstock.handling.load import load
from penstock.isolation.pool import ChildPool
from penstock.message.form import form_of
from penstock.observe.board import process_board
from penstock.observe.events import Event
from penstock.observe.health import HealthServer
from penstock.observe.heart import EVERY, Heart
from penstock.observe.lines import Process
from penstock.observe.logs import Log, loop_trouble
from penstock.observe.metrics import Metrics
from penstock.observe.page import Pages
from penstock.observe.readiness import Readiness, Why
from penstock.pod.collecting import collect_seldom
from penstock.pod.dependencies import Dependencies
from penstock.pod.ending import leave, through
from penstock.pod.redis import redis_health
from penstock.pod.side import Side
from penstock.pod.sidecar import quit_sidecar
from penstock.resolved import ResolvedPipeline
from penstock.wire.credentials import Credentials
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock.worker.in_child import config_of
from penstock.worker.worker import Worker
from penstock_spec.kinds.pipeline.metrics import process as told
from penstock_spec.kinds.pipeline.metrics import working

BLOCKED = 70
"""The exit code of a worker whose loop stood still for too long."""
LIVE_LIMIT = 10.0
"""Seconds without a heartbeat from which on `/livez` says no; a handler may hold up the loop for longer than that."""

log = Log(logging.getLogger("penstock.worker"))


@dataclass(frozen=True, slots=True)
class Start:
    """What the command was told."""

    pipeline: ResolvedPipeline
    credentials: Credentials
    process: Process
    log_format: str
    listen: tuple[str, int] | None
    """Where to answer over HTTP; nowhere when it is nothing."""
    paths: Sequence[Path]
    """Folders with code."""
    until_idle: bool = False
    """Leave when there is nothing left to do."""


def run(start: Start) -> int:
    """Until it is told to stop. Gives an exit code."""
    pipeline = start.pipeline.with_schema()
    handler = load(pipeline.spec, start.paths)
    form = form_of(pipeline.spec.message, pipeline.message_schema())
    digest = pipeline.digest
    log.event(Event.WORKER_STARTED, environment=pipeline.environment, version=__version__, digest=digest)
    readiness, heart = Readiness(), Heart()
    board = process_board()
    metrics = Metrics.of_spec("worker", pipeline.spec, board)
    metrics.gauge(told.INFO, "worker", __version__, digest).set(1)
    metrics.gauge(working.LOOP_LAG_SECONDS).follow(heart.lag)
    answered = metrics.histogram(told.REDIS_SECONDS).observe
    spawner = ChildPool(
        "penstock.worker.in_child:program",
        config_of(pipeline, start.log_format),
        memory_limit=None if (limit := pipeline.spec.work.memory_limit) is None else limit.amount,
        path=[str(path.resolve()) for path in (Path.cwd(), *start.paths)],
    )
    health = None
    if start.listen is not None:
        limit_ = max(LIVE_LIMIT, pipeline.spec.work.timeout.seconds + pipeline.spec.shutdown.margin.seconds)
        health = HealthServer(heart, limit_, readiness, Pages(board))
        keys = start.pipeline.keys
        health.add_redis(
            lambda: redis_health(
                link_to(start.pipeline, start.credentials, "health"), "XPENDING", keys.stream, keys.group
            )
        )
        health.start(*start.listen)
        log.event(Event.HTTP_LISTENING, address=start.listen[0], port=health.port)

    async def main() -> tuple[int, bool]:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(loop_trouble)
        async with Side() as side:
            dependencies = Dependencies(
                link=lambda name: link_to(pipeline, start.credentials, name, answered),
                side=side,
                metrics=metrics,
                readiness=readiness,
                host=os.environ.get("POD_NAME") or start.process.host,
                process=start.process,
            )
            worker = Worker(pipeline, handler, form, dependencies, spawner=spawner, until_idle=start.until_idle)
            _on_signals(loop, worker)
            watch = side.start(_watch(heart, loop, readiness, pipeline))
            code = await worker.run()
            watch.cancel()
            heart.stop()
            if (url := pipeline.spec.shutdown.sidecar_quit_url) is not None:
                await asyncio.to_thread(quit_sidecar, url)
            return code, worker.busy > 0

    collect_seldom()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        code, busy = through(runner.get_loop(), main())
        log.event(Event.WORKER_STOPPED, exit_code=code)
        # Threads that were cancelled and go on would be waited for; their messages are given back.
        leave(code, at_once=busy)
    if health is not None:
        health.stop()
    return code


def link_to(
    pipeline: ResolvedPipeline, credentials: Credentials, name: str, answered: Callable[[float], object] | None = None
) -> Link:
    """A connection to where the pipeline's stream is."""
    route = Route.to(pipeline.redis, pipeline.keys.stream, credentials=credentials)
    return Link(route, name=f"penstock-{name}-{pipeline.name}", answered=answered)


def _on_signals(loop: asyncio.AbstractEventLoop, worker: Worker) -> None:
    """The first begins the drain. The second ends all at once: what was not settled is taken over."""
    seen: list[signal.Signals] = []

    def handle(number: signal.Signals) -> None:
        if seen:
            log.event(Event.SIGNAL_REPEATED, signal=number.name)
            os._exit(128 + number)
        seen.append(number)
        log.event(Event.SIGNAL_RECEIVED, signal=number.name)
        worker.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, handle, number)


async def _watch(
    heart: Heart, loop: asyncio.AbstractEventLoop, readiness: Readiness, pipeline: ResolvedPipeline
) -> None:
    """A loop that stands still for longer than a message may take does not come back.

    Until the worker has begun nobody judges: what a lifespan loads may hold up the loop for as long as it takes.
    """
    while Why.STARTING in readiness.against:
        heart.beat()
        await asyncio.sleep(EVERY)
    loop.call_soon_threadsafe(heart.beat_in, loop)
    spec = pipeline.spec
    limit = spec.work.timeout.seconds + spec.shutdown.margin.seconds
    while True:
        await asyncio.sleep(1)
        if heart.age() > limit:
            log.event(Event.LOOP_BLOCKED, seconds=round(heart.age(), 1))
            sys.stderr.flush()
            os._exit(BLOCKED)
