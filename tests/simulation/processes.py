"""Processes of the simulation: workers, janitors and a sender, each with its own event loops and links."""

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
from penstock.observe.collector import Collector
from penstock.observe.metrics import Metrics
from penstock.observe.readiness import Readiness
from penstock.pod.dependencies import Dependencies
from penstock.pod.exit import BROKEN
from penstock.resolved import ResolvedPipeline
from penstock.scripts import script
from penstock.wire.errors import RedisTrouble, Refused, Reply, Unanswered
from penstock.worker.worker import Worker

from .event_loop import Loop
from .handlers import HUGE, Handlers, Memory, Spawner
from .link import SimulatedLink
from .network import Network
from .plan import PlannedMessage
from .records import Run
from .truth import Truth
from .universe import START, Universe, seeded_random

LATELY = 10.0
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class Process:
    """A process that can be killed, suspended and resumed."""

    def __init__(self, name: str, context: ProcessContext) -> None:
        self.name = name
        self.context = context
        self.loop: Loop = context.universe.loop(name)
        self.loops = [self.loop]
        self.links: list[SimulatedLink] = []
        self.is_dead = False
        self.trouble_until = -1.0
        """The end of the last fault that may have kept it from renewing its lease."""
        self.unavailable_until = -1.0
        self.hits: list[float] = []
        """The times of faults of its commands."""
        self._stops = 0

    def link(self, role: str) -> SimulatedLink:
        context = self.context
        link = SimulatedLink(
            context.network, self, role, context.patience, seeded_random(f"{context.seed}/{self.name}/{role}")
        )
        self.links.append(link)
        return link

    def start(self, work: Coroutine[Any, Any, object]) -> None:
        """Start its work. An exception before its end is a violation."""
        task = self.loop.create_task(work)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[object]) -> None:
        if task.cancelled() or self.is_dead:
            return
        error = task.exception()
        if error is not None:
            lines = "".join(traceback.format_exception(error)[-3:])
            self.context.truth.violate("raised", f"{self.name}: {lines}")
        self._stop_for_good()
        self.context.truth.process_exited(self.name)
        self.context.ended(self)

    def crash(self, cause: Run | None = None) -> None:
        """End it as SIGKILL or a crashing handler does: none of its code runs any more."""
        if self.is_dead:
            return
        self.context.log(f"{self.name} crashes" + (f" by {cause.message.name}" if cause else ""))
        self._stop_for_good()
        self.context.truth.process_crashed(self.name, None if cause is None else cause.message)
        self.context.ended(self)

    def receive_huge(self, reply: Reply | Refused) -> None:
        """Crash by a reply that is too large for its memory."""
        self.context.truth.received_huge(self.name, reply)
        self.crash()

    def _stop_for_good(self) -> None:
        self.is_dead = True
        for loop in self.loops:
            loop.suspended = True
        for link in self.links:
            if link.client is not None:
                self.context.network.close(link.client)

    def stall(self, seconds: float) -> None:
        """Suspend it with SIGSTOP, and resume it with SIGCONT after some seconds."""
        self._suspend(self.loops, seconds)

    def block(self, seconds: float) -> None:
        """Block its main loop."""
        self._suspend([self.loop], seconds)

    def _suspend(self, loops: list[Loop], seconds: float) -> None:
        if self.is_dead:
            return
        self.context.log(f"{self.name} is suspended for {seconds:g} s")
        self._stops += 1
        self.unavailable_until = self.context.universe.now + seconds
        if len(loops) == len(self.loops):
            self.trouble_until = self.context.universe.now + seconds
        for loop in loops:
            loop.suspended = True
        self.context.universe.after(seconds, self._go_on, self._stops)

    def _go_on(self, number: int) -> None:
        if not self.is_dead and number == self._stops:
            self.context.log(f"{self.name} resumes")
            self.go_on()

    def go_on(self) -> None:
        """Resume now."""
        self._stops += 1
        now = self.context.universe.now
        self.unavailable_until, self.trouble_until = min(self.unavailable_until, now), min(self.trouble_until, now)
        for loop in self.loops:
            loop.suspended = self.is_dead

    def complaints(self) -> list[str]:
        """Exceptions that no code caught."""
        return [one for loop in self.loops for one in loop.complaints]


class ProcessContext:
    """Everything that all processes share."""

    def __init__(  # noqa: PLR0913 - the complete context
        self,
        *,
        seed: str,
        universe: Universe,
        network: Network,
        truth: Truth,
        pipeline: ResolvedPipeline,
        patience: float,
        style: str,
        memory: str,
        log: Callable[[str], None],
        ended: Callable[[Process], None],
        redis_unavailable_until: Callable[[], float],
    ) -> None:
        self.seed = seed
        self.universe = universe
        self.network = network
        self.truth = truth
        self.pipeline = pipeline
        self.patience = patience
        self.style = style
        self.memory = memory
        self.log = log
        self.ended = ended
        self.redis_unavailable_until = redis_unavailable_until
        """The end of the last time when Redis hung or refused writes."""

    def wall(self) -> float:
        return 4_102_444_800 + self.universe.now - START


class SideLoop:
    """The other thread of a worker: a second loop of the same process."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop

    def start(self, work: Coroutine[Any, Any, None]) -> SideTask:
        """Start a task in the side loop."""
        return SideTask(self._loop, self._loop.create_task(work))

    def call(self, function: Callable[..., object], *args: object) -> None:
        self._loop.call_soon_threadsafe(function, *args)


class SideTask:
    """A task in the side loop."""

    def __init__(self, loop: Loop, task: asyncio.Task[None]) -> None:
        self._loop = loop
        self._task = task

    def cancel(self) -> None:
        self._loop.call_soon_threadsafe(self._task.cancel)

    def done(self) -> bool:
        return self._task.done()

    def exception(self) -> BaseException | None:
        return self._task.exception()


_COLLECTOR = Collector()


def _value(received: Received) -> object:
    return received.value


class WorkerProcess(Process):
    """A process of the real worker."""

    def __init__(self, name: str, context: ProcessContext) -> None:
        super().__init__(name, context)
        side = context.universe.loop(f"{name}/side")
        self.loops.append(side)
        self._side = side
        self._rng = seeded_random(f"{context.seed}/{name}")
        self._memory = Memory(context.memory, self._rng)
        self._spawner = Spawner(self, context.truth, context.universe, self._memory)
        self.code: int | None = None
        self.drains_since: float | None = None
        self._worker: Worker | None = None
        self._stopped_at: float | None = None
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
            metrics=Metrics.of_spec("worker", spec, _COLLECTOR),
            readiness=Readiness(),
            host=self.name,
            rng=self._rng,
            clocks=Clocks(context.universe.clock, context.wall, cpu=context.universe.clock),
            new_consumer=self._named,
        )
        self._worker = Worker(
            context.pipeline,
            handler,
            encoding_of(spec.message, {}),
            dependencies,
            spawner=self._spawner,
            memory=self._memory,
        )
        self.code = await self._worker.run()
        context.log(f"{self.name} exits with {self.code}")
        self._check_drain()

    def _check_drain(self) -> None:
        """A worker must end within its grace period, and own no message if its exit code is 0."""
        context = self.context
        now, grace = context.universe.now, context.pipeline.spec.shutdown.grace.seconds
        is_stuck = self.code == BROKEN and context.truth.had_stuck(self.name)
        if (self.drains_since is None or self.code == BROKEN) and not is_stuck:
            context.truth.violate("unexpected-exit", f"{self.name} exits by itself with {self.code}")
        elif (
            self.drains_since is not None
            and now > self.drains_since + grace
            and self.unavailable_until < self.drains_since
        ):
            context.truth.violate("slow-shutdown", f"{self.name} took {now - self.drains_since:g} s to shut down")
        held = context.truth.owned_by(self.name)
        if held and self.code == 0:
            context.truth.violate("left-behind", f"{self.name} exits with 0 and owns {held}")
        elif held and self.drains_since is not None and not self._had_trouble_since(self.drains_since - LATELY):
            context.truth.violate("left-behind", f"{self.name} exits and did not give back {held}")

    def _had_trouble_since(self, since: float) -> bool:
        """Whether several faults separated it from Redis, so that it may have had no time for another audit."""
        return (
            self.trouble_until > since
            or self.context.redis_unavailable_until() > since
            or sum(one > since for one in self.hits) > 1
        )

    def _named(self, name: str) -> str:
        return f"{name}~{''.join(self._rng.choice(ALPHABET) for _ in range(8))}"

    def drain(self) -> None:
        """Send SIGTERM."""
        if self.is_dead or self.drains_since is not None:
            return
        self.context.log(f"{self.name} receives SIGTERM")
        self.drains_since = self.context.universe.now
        self.loop.call_soon_threadsafe(self._stop_worker)

    @property
    def is_draining(self) -> bool:
        """Whether its worker has had time to react to SIGTERM."""
        stopped = self._stopped_at
        return stopped is not None and self.context.universe.now > stopped >= self.unavailable_until

    def _stop_worker(self) -> None:
        if self._worker is not None:
            self._stopped_at = self.context.universe.now
            self._worker.stop()

    def _stop_for_good(self) -> None:
        super()._stop_for_good()
        self._spawner.end()


class NoPods:
    """A cluster that reports no pods."""

    def names(self) -> frozenset[str]:
        raise PodsUnknownError("no API server")

    def set_cost(self, pod: str, cost: int) -> None:
        raise PodsUnknownError(f"no API server for the cost {cost} of {pod}")


class JanitorProcess(Process):
    """A process of the real janitor."""

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
        await Janitor([context.pipeline], links, _COLLECTOR, NoPods(), clocks).run(asyncio.Event())


class SenderProcess(Process):
    """Sends each message at its time, and retries a send where that is safe."""

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
        if one.kind == "huge":
            body = json.dumps({"id": one.name, "more": HUGE * "x"})
        window = 3_600_000 if self._dedup else 0
        dedups = [keys.dedup + one.name] if self._dedup else []
        args = (
            keys.group,
            "until-done" if self.context.pipeline.spec.stream.retention.keeps_nothing else "history",
            1000,
            "reject",
            window,
            f"{one.name}-id",
            int(one.delay * 1000),
            6 if dedups else 2,
            *("data", body),
            *(("penstock-id", f"{one.name}-id", "penstock-key", one.name) if dedups else ()),
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
