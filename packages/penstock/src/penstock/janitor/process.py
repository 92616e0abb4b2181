"""A janitor as a process of its own: its loop, its signals, and what it answers over HTTP."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import uvloop

from penstock import __version__
from penstock.janitor.files import Files
from penstock.janitor.janitor import Janitor
from penstock.janitor.links import Links
from penstock.janitor.look import Seen, look
from penstock.janitor.pods import KubernetesPods
from penstock.janitor.reach import Passing, Reach, ignore
from penstock.janitor.serve import serve
from penstock.observe.board import process_board
from penstock.observe.events import Event
from penstock.observe.health import HealthServer
from penstock.observe.heart import Heart
from penstock.observe.logs import Log, loop_trouble
from penstock.observe.metrics import Metrics
from penstock.observe.page import Pages
from penstock.observe.readiness import Readiness, Why
from penstock.operating.reach import as_sentence
from penstock.resolved import ResolvedPipeline
from penstock.wire.credentials import Credentials
from penstock.wire.errors import RedisTrouble, Refused
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_spec.kinds.pipeline.metrics import process as told

T = TypeVar("T")

LIVE_LIMIT = 30.0
"""Seconds without a heartbeat from which on `/livez` says no: nothing here computes for long."""
FILES_EVERY = 5.0
"""Seconds between looks at the files; Kubernetes itself takes a minute to change them."""

log = Log(logging.getLogger(__name__))


@dataclass(frozen=True, slots=True)
class Start:
    """What the command was told."""

    pipelines: Sequence[ResolvedPipeline]
    credentials: Credentials
    listen: tuple[str, int] | None
    """Where to answer over HTTP; nowhere when it is nothing."""
    files: Files
    """What it was read from, where that was generated."""


def run(start: Start) -> int:
    """Until it is told to stop. Gives an exit code."""
    readiness, heart, board = Readiness(), Heart(), process_board()
    links = _links(start, lambda answers: _tell(readiness, answers=answers))
    janitor = Janitor(start.pipelines, links, board, _pods(start))
    for pipeline in start.pipelines:
        metrics = Metrics.of_spec("janitor", pipeline.spec, board)
        metrics.gauge(told.INFO, "janitor", __version__, pipeline.digest).set(1)
    health = None
    if start.listen is not None:
        health = HealthServer(heart, LIVE_LIMIT, readiness, Pages(board))
        serve(health, janitor.sights, lambda: _link(start, links.lock))
        health.start(*start.listen)
        log.event(Event.HTTP_LISTENING, address=start.listen[0], port=health.port)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(loop_trouble)
        heart.beat_in(loop)
        stop = asyncio.Event()
        _on_signals(loop, stop, readiness)
        watching = asyncio.create_task(_watch(start.files, stop, readiness))
        await janitor.run(stop)
        watching.cancel()
        heart.stop()

    environment = start.pipelines[0].environment
    log.event(Event.JANITOR_STARTED, environment=environment, pipelines=len(start.pipelines))
    _run(main())
    if health is not None:
        health.stop()
    log.event(Event.JANITOR_STOPPED, exit_code=0)
    return 0


def once(start: Start) -> int:
    """One round over each pipeline, whoever leads."""
    try:
        well = _run(Janitor(start.pipelines, _links(start, reach=Passing), process_board(), _pods(start)).once())
    except RedisTrouble as error:
        refused = error.__cause__  # a refusal that counts as no answer
        raise as_sentence(refused if isinstance(refused, Refused) else error) from error
    return 0 if well else 1


def plan(start: Start) -> list[Seen]:
    """What a round would do; nothing is changed. Raises CannotGoOn where of no pipeline anything can be told."""

    async def ask() -> list[Seen]:
        links = _links(start)
        try:
            return await look(start.pipelines, [pair.work for pair in links.pairs], _pods(start))
        finally:
            await links.close()

    seen = _run(ask())
    if all(one.trouble for one in seen) and (trouble := seen[0].trouble):
        raise as_sentence(trouble) from trouble
    return seen


async def _watch(files: Files, stop: asyncio.Event, readiness: Readiness) -> None:
    """Leave when they change. A pod may be there before the files that it was made for: these come a minute later."""
    changed = False
    while not changed:
        await asyncio.sleep(FILES_EVERY)
        changed = await asyncio.to_thread(files.changed)
    log.event(Event.FILES_CHANGED)
    readiness.hold(Why.DRAINING)
    stop.set()


def _run(what: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(what)


def _links(start: Start, changed: Callable[[bool], None] = ignore, reach: type[Reach] = Reach) -> Links:
    return Links.to(start.pipelines[0].redis, start.pipelines, start.credentials, changed, reach)


def _link(start: Start, key: str) -> Link:
    route = Route.to(start.pipelines[0].redis, key, credentials=start.credentials)
    return Link(route, name="penstock-janitor-health")


def _pods(start: Start) -> KubernetesPods:
    return KubernetesPods(start.pipelines[0].around.namespace, os.environ)


def _tell(readiness: Readiness, *, answers: bool) -> None:
    if answers:
        readiness.release(Why.STARTING)
        readiness.release(Why.REDIS_ABSENT)
    else:
        readiness.hold(Why.REDIS_ABSENT)


def _on_signals(loop: asyncio.AbstractEventLoop, stop: asyncio.Event, readiness: Readiness) -> None:
    """The first ends it cleanly, so that another leads at once. The second ends it now; the lock runs out."""

    def handle(number: signal.Signals) -> None:
        if stop.is_set():
            log.event(Event.SIGNAL_REPEATED, signal=number.name)
            os._exit(128 + number)
        log.event(Event.SIGNAL_RECEIVED, signal=number.name)
        readiness.hold(Why.DRAINING)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, handle, number)
