"""A scheduler's pod as a process of its own: its loop, its threads, its signals, and what it answers over HTTP."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import uvloop

from penstock import __version__
from penstock.observe.board import process_board
from penstock.observe.events import Event
from penstock.observe.health import HealthServer
from penstock.observe.heart import EVERY, Heart
from penstock.observe.lines import Process
from penstock.observe.logs import Log, loop_trouble
from penstock.observe.metrics import Metrics
from penstock.observe.page import Pages
from penstock.observe.readiness import Readiness
from penstock.pod.collecting import collect_seldom
from penstock.pod.dependencies import Dependencies
from penstock.pod.ending import leave, through
from penstock.pod.redis import redis_health
from penstock.pod.side import Side
from penstock.pod.sidecar import quit_sidecar
from penstock.scheduler.calls import Calls
from penstock.scheduler.listing import Listing
from penstock.scheduler.resolved import FindPipeline, ResolvedScheduler
from penstock.scheduler.scheduler import BROKEN, Scheduler
from penstock.scripts import Script
from penstock.wire.credentials import Credentials
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_spec.failures.classes import NO_CLASS
from penstock_spec.kinds.scheduler.effective import effective_jobs
from penstock_spec.kinds.scheduler.metrics import process as told
from penstock_spec.kinds.scheduler.spec import Scheduler as Spec
from penstock_spec.kinds.scheduler.work import Patterns

LIVE_LIMIT = 30.0
"""Seconds without a heartbeat from which on `/livez` says no; where jobs may take longer than that, their time."""
THREADS = 10_000
"""For plain functions, beside those that were abandoned and do not end; a thread is made when it is needed."""

log = Log(logging.getLogger("penstock.scheduler"))


@dataclass(frozen=True, slots=True)
class Start:
    """What the command was told."""

    scheduler: ResolvedScheduler
    credentials: Credentials
    process: Process
    to_pipeline: FindPipeline
    listen: tuple[str, int] | None
    """Where to answer over HTTP; nowhere when it is nothing."""
    paths: Sequence[Path]
    """Folders with code."""
    patterns: Callable[[], Patterns]
    """Which jobs run, by now."""


def run(start: Start) -> int:
    """Until it is told to stop. Gives an exit code."""
    scheduler = start.scheduler
    spec, digest = scheduler.spec, scheduler.digest
    # A thread is made when it is needed; what was abandoned holds on to its own.
    threads = ThreadPoolExecutor(THREADS, thread_name_prefix="penstock-handler")
    log.event(Event.SCHEDULER_STARTED, environment=scheduler.environment, version=__version__, digest=digest)
    readiness, heart, board = Readiness(), Heart(), process_board()
    given = {"class": [*spec.failures.classes, NO_CLASS]}
    metrics = Metrics.of("scheduler", pipeline=spec.name, board=board, given=given)
    metrics.gauge(told.INFO, "scheduler", __version__, digest).set(1)
    metrics.gauge(told.LOOP_LAG_SECONDS).follow(heart.lag)
    answered = metrics.histogram(told.REDIS_SECONDS).observe
    limit = longest(spec)
    health = None

    async def main() -> tuple[int, bool]:
        nonlocal health
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(loop_trouble)
        listing = Listing(spec, start.paths, start.patterns)
        calls = Calls(spec, start.paths, threads, start.to_pipeline, start.credentials)
        if start.listen is not None:
            health = HealthServer(heart, limit, readiness, Pages(board))
            finds = ("ZCARD", scheduler.keys.waiting)  # one without jobs has none, and is well
            health.add_redis(
                lambda: redis_health(link_to(scheduler, start.credentials, "health"), *finds), "waiting_set"
            )
            health.start(*start.listen)
            log.event(Event.HTTP_LISTENING, address=start.listen[0], port=health.port)
        async with Side() as side:
            dependencies = Dependencies(
                link=lambda name: link_to(scheduler, start.credentials, name, answered, _whole(metrics)),
                side=side,
                metrics=metrics,
                readiness=readiness,
                host=os.environ.get("POD_NAME") or start.process.host,
                process=start.process,
            )
            pod = Scheduler(scheduler, listing, calls, dependencies)
            _on_signals(loop, pod)
            heart.beat_in(loop)
            watch = side.start(_watch(heart, limit))
            code = await pod.run()
            watch.cancel()
            heart.stop()
            if (url := spec.shutdown.sidecar_quit_url) is not None:
                await asyncio.to_thread(quit_sidecar, url)
            return code, pod.busy > 0

    collect_seldom()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        code, busy = through(runner.get_loop(), main())
        log.event(Event.SCHEDULER_STOPPED, exit_code=code)
        leave(code, at_once=busy)
    if health is not None:
        health.stop()
    return code


def longest(spec: Spec) -> float:
    """Seconds that a handler may hold up the loop: as long as a job may take, with its threshold."""
    jobs = [one.timeout.seconds + one.threshold.seconds for one in effective_jobs(spec)]
    each = spec.each.timeout or spec.each.every
    return max(LIVE_LIMIT, *jobs, each.seconds + spec.cleanup.zombies.threshold.seconds if each else 0.0)


def link_to(
    scheduler: ResolvedScheduler,
    credentials: Credentials,
    name: str,
    answered: Callable[[float], object] | None = None,
    sent_whole: Callable[[Script], object] | None = None,
) -> Link:
    """A connection to where the scheduler's keys are."""
    route = Route.to(scheduler.redis, scheduler.keys.waiting, credentials=credentials)
    return Link(route, name=f"penstock-{name}-{scheduler.name}", answered=answered, sent_whole=sent_whole)


def _whole(metrics: Metrics) -> Callable[[Script], object]:
    def tell(script: Script) -> None:
        metrics.counter(told.SCRIPTS_SENT_WHOLE, script.name).add()
        log.event(Event.REDIS_SCRIPT_EVICTED, script=script.name)

    return tell


def _on_signals(loop: asyncio.AbstractEventLoop, pod: Scheduler) -> None:
    """The first begins to leave. The second ends all at once: what runs is due again when the lease is over."""
    seen: list[signal.Signals] = []

    def handle(number: signal.Signals) -> None:
        if seen:
            log.event(Event.SIGNAL_REPEATED, signal=number.name)
            os._exit(128 + number)
        seen.append(number)
        log.event(Event.SIGNAL_RECEIVED, signal=number.name)
        pod.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, handle, number)


async def _watch(heart: Heart, limit: float) -> None:
    """A loop that stands still for longer than a job may take does not come back."""
    while True:
        await asyncio.sleep(4 * EVERY)
        if heart.age() > limit:
            log.event(Event.LOOP_BLOCKED, seconds=round(heart.age(), 1))
            sys.stderr.flush()
            os._exit(BROKEN)
