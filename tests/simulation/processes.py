"""Processes of the simulation: a worker, a janitor, a sender; each has its own loops and links."""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import Callable, Coroutine
from typing import Any, cast

from penstock.clocks import Clocks
from penstock.handling.load import Handler
from penstock.janitor.janitor import Janitor
from penstock.janitor.kubernetes_pods import PodsUnknownError
from penstock.janitor.leader_lock import lock_of
from penstock.janitor.links import JanitorLinks, PipelineLinks
from penstock.janitor.reachability import Reachability
from penstock.message.encoding import Received, encoding_of
from penstock.observe.board import Board
from penstock.observe.metrics import Metrics
from penstock.observe.readiness import Readiness
from penstock.pod.dependencies import Dependencies
from penstock.resolved import ResolvedPipeline
from penstock.scripts import script
from penstock.wire.errors import RedisTrouble, Refused, Unanswered
from penstock.worker.worker import Worker

from .handlers import Handlers, Spawner
from .link import SimulatedLink
from .network import Network
from .plan import PlannedMessage
from .records import Run
from .truth import Truth
from .universe import START, Loop, Universe, dice

LATELY = 10.0
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class Process:
    """A process that can be killed, stopped and continued."""

    def __init__(self, name: str, context: ProcessContext) -> None:
        self.name = name
        self.context = context
        self.loop: Loop = context.universe.loop(name)
        self.loops = [self.loop]
        self.links: list[SimulatedLink] = []
        self.is_dead = False
        self.troubled = -1.0
        """When it last had trouble that may have kept it from its lease."""
        self.stood_still = -1.0
        self.hits: list[float] = []
        """When something happened to one of its commands."""
        self._stops = 0

    def link(self, role: str) -> SimulatedLink:
        context = self.context
        link = SimulatedLink(context.network, self, role, context.patience, dice(f"{context.seed}/{self.name}/{role}"))
        self.links.append(link)
        return link

    def start(self, work: Coroutine[Any, Any, object]) -> None:
        """Start it. An exception of it, except at its end, is a violation."""
        task = self.loop.create_task(work)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[object]) -> None:
        if task.cancelled() or self.is_dead:
            return
        error = task.exception()
        if error is not None:
            told = "".join(traceback.format_exception(error)[-3:])
            self.context.truth.violate("raised", f"{self.name}: {told}")
        self._leave()
        self.context.truth.process_exited(self.name)
        self.context.ended(self)

    def crash(self, cause: Run | None = None) -> None:
        """SIGKILL, or a handler that crashes its process. None of its code runs any more."""
        if self.is_dead:
            return
        self.context.tell(f"{self.name} crashes" + (f" by {cause.message.name}" if cause else ""))
        self._leave()
        self.context.truth.process_crashed(self.name, None if cause is None else cause.message)
        self.context.ended(self)

    def _leave(self) -> None:
        self.is_dead = True
        for loop in self.loops:
            loop.frozen = True
            self.context.universe.forget(loop)
        for link in self.links:
            if link.client is not None:
                self.context.network.close(link.client)

    def stall(self, seconds: float) -> None:
        """SIGSTOP, and SIGCONT after so many seconds."""
        self._stop(self.loops, seconds)

    def block(self, seconds: float) -> None:
        """Block its main loop."""
        self._stop([self.loop], seconds)

    def _stop(self, loops: list[Loop], seconds: float) -> None:
        if self.is_dead:
            return
        self.context.tell(f"{self.name} stands still for {seconds:g} s")
        self._stops += 1
        self.stood_still = self.context.universe.now + seconds
        if len(loops) == len(self.loops):
            self.troubled = self.context.universe.now + seconds
        for loop in loops:
            loop.frozen = True
        self.context.universe.after(seconds, self._go_on, self._stops)

    def _go_on(self, number: int) -> None:
        if not self.is_dead and number == self._stops:
            self.context.tell(f"{self.name} goes on")
            self.go_on()

    def go_on(self) -> None:
        """Continue now."""
        self._stops += 1
        now = self.context.universe.now
        self.stood_still, self.troubled = min(self.stood_still, now), min(self.troubled, now)
        for loop in self.loops:
            loop.frozen = self.is_dead

    def complaints(self) -> list[str]:
        """Exceptions that nothing caught."""
        return [one for loop in self.loops for one in loop.complaints]


class ProcessContext:
    """What all processes share."""

    def __init__(  # noqa: PLR0913 - all that there is
        self,
        *,
        seed: str,
        universe: Universe,
        network: Network,
        truth: Truth,
        pipeline: ResolvedPipeline,
        patience: float,
        style: str,
        tell: Callable[[str], None],
        ended: Callable[[Process], None],
        redis_stood_still: Callable[[], float],
    ) -> None:
        self.seed = seed
        self.universe = universe
        self.network = network
        self.truth = truth
        self.pipeline = pipeline
        self.patience = patience
        self.style = style
        self.tell = tell
        self.ended = ended
        self.redis_stood_still = redis_stood_still
        """When it last did, or refused to work."""

    def wall(self) -> float:
        return 4_102_444_800 + self.universe.now - START


class SideLoop:
    """The other thread of a worker: a second loop of the same process."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop

    def start(self, work: Coroutine[Any, Any, None]) -> SideTask:
        """Start it. An exception of it, except at its end, is a violation."""
        return SideTask(self._loop, self._loop.create_task(work))

    def tell(self, call: Callable[..., object], *args: object) -> None:
        self._loop.call_soon_threadsafe(call, *args)


class SideTask:
    """A task in that thread."""

    def __init__(self, loop: Loop, task: asyncio.Task[None]) -> None:
        self._loop = loop
        self._task = task

    def cancel(self) -> None:
        self._loop.call_soon_threadsafe(self._task.cancel)

    def done(self) -> bool:
        return self._task.done()

    def exception(self) -> BaseException | None:
        return self._task.exception()


_BOARD = Board()


def _value(received: Received) -> object:
    return received.value


class WorkerProcess(Process):
    """The real worker."""

    def __init__(self, name: str, context: ProcessContext) -> None:
        super().__init__(name, context)
        side = context.universe.loop(f"{name}/side")
        self.loops.append(side)
        self._side = side
        self._rng = dice(f"{context.seed}/{name}")
        self._spawner = Spawner(self, context.truth, context.universe)
        self.code: int | None = None
        self.drains_since: float | None = None
        self._worker: Worker | None = None
        self.start(self._run())

    async def _run(self) -> None:
        context = self.context
        handlers = Handlers(self, context.truth)
        threads = context.style == "thread"
        handler = Handler(
            "simulation:handle",
            handlers.handle_in_thread if threads else handlers.handle,
            "thread" if threads else "async",
            Any,
            _value,
            context=True,
            middleware=(),
            lifespan=None,
        )
        spec = context.pipeline.spec
        dependencies = Dependencies(
            link=self.link,
            side=SideLoop(self._side),
            metrics=Metrics.of_spec("worker", spec, _BOARD),
            readiness=Readiness(),
            host=self.name,
            rng=self._rng,
            clocks=Clocks(context.universe.clock, context.wall),
            new_consumer=self._named,
        )
        self._worker = Worker(
            context.pipeline, handler, encoding_of(spec.message, {}), dependencies, spawner=self._spawner
        )
        self.code = await self._worker.run()
        context.tell(f"{self.name} leaves with {self.code}")
        self._check_drain()

    def _check_drain(self) -> None:
        """It must end in time, and leave nothing behind if its exit code says so."""
        context = self.context
        now, grace = context.universe.now, context.pipeline.spec.shutdown.grace.seconds
        if self.drains_since is None:
            context.truth.violate("left", f"{self.name} leaves with {self.code}, and was not told to")
        elif now > self.drains_since + grace and self.stood_still < self.drains_since:
            context.truth.violate("late", f"{self.name} took {now - self.drains_since:g} s to leave")
        held = context.truth.owned_by(self.name)
        if held and self.code == 0:
            context.truth.violate("left-behind", f"{self.name} leaves as if it had nothing, and has {held}")
        elif held and self.drains_since is not None and not self._had_trouble_since(self.drains_since - LATELY):
            context.truth.violate("left-behind", f"{self.name} leaves, and did not give back {held}")

    def _had_trouble_since(self, since: float) -> bool:
        """Whether several faults came between it and Redis: then it may have had no time to ask again."""
        return (
            self.troubled > since
            or self.context.redis_stood_still() > since
            or sum(one > since for one in self.hits) > 1
        )

    def _named(self, name: str) -> str:
        return f"{name}~{''.join(self._rng.choice(ALPHABET) for _ in range(8))}"

    def drain(self) -> None:
        """SIGTERM."""
        if self.is_dead or self.drains_since is not None:
            return
        self.context.tell(f"{self.name} is told to leave")
        self.drains_since = self.context.universe.now
        self.loop.call_soon_threadsafe(self._stop_worker)

    def _stop_worker(self) -> None:
        if self._worker is not None:
            self._worker.stop()

    def _leave(self) -> None:
        super()._leave()
        self._spawner.end()


class NoPods:
    """A cluster that reports no pods."""

    def names(self) -> frozenset[str]:
        raise PodsUnknownError("nobody knows")

    def set_cost(self, pod: str, cost: int) -> None:
        raise PodsUnknownError(f"nobody knows {pod}, or makes it cost {cost}")


class JanitorProcess(Process):
    """The real janitor."""

    def __init__(self, name: str, context: ProcessContext) -> None:
        super().__init__(name, context)
        self.start(self._run())

    async def _run(self) -> None:
        context = self.context
        reach = Reachability()
        pair = PipelineLinks(self.link("work"), self.link("metrics"), reach)
        lock = lock_of(context.pipeline.environment, [context.pipeline.keys])
        links = JanitorLinks(self.link("leader"), lock, (pair,), reach)
        clocks = Clocks(context.universe.clock, context.wall, asyncio.sleep)
        await Janitor([context.pipeline], links, _BOARD, NoPods(), clocks).run(asyncio.Event())


class SenderProcess(Process):
    """Sends each message at its time, and repeats what may be repeated."""

    def __init__(self, messages: tuple[PlannedMessage, ...], *, dedup: bool, context: ProcessContext) -> None:
        super().__init__("sender", context)
        self._messages = messages
        self._dedup = dedup
        self.start(self._run())

    async def _run(self) -> None:
        await asyncio.gather(*(self._send(one) for one in self._messages))

    async def _send(self, one: PlannedMessage) -> None:
        keys = self.context.pipeline.keys
        link = self.link(one.name)
        await asyncio.sleep(one.at)
        body = json.dumps({"id": one.name}) if one.kind != "unreadable" else f'{{"id": "{one.name}" broken'
        window = 3_600_000 if self._dedup else 0
        dedups = [keys.dedup + one.name] if self._dedup else []
        args = (
            keys.group,
            "until-done",
            1000,
            "reject",
            window,
            f"{one.name}-id",
            int(one.delay * 1000),
            2,
            "data",
            body,
        )
        names = (keys.stream, keys.delayed, keys.bodies, keys.position, *dedups)
        while True:
            try:
                [answer] = cast("list[object]", await link.run(script("send"), names, args))
            except Unanswered:
                if not self._dedup:
                    return
            except (Refused, RedisTrouble):
                pass
            else:
                if isinstance(answer, (bytes, int)) or (isinstance(answer, list) and answer[0] == b"duplicate"):
                    self.context.truth.messages[one.name].acked = True
                    return
            await asyncio.sleep(1)
