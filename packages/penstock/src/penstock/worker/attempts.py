"""What runs here: each delivery is one attempt, with a time of its own, an end and an outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any, Protocol

from penstock.clocks import CLOCKS, Clocks
from penstock.handling.failures import Failure
from penstock.handling.retry_policy import BuryDecision, RetryPolicy
from penstock.isolation.runs import CancelReason, Crashed
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.worker.context import Context, MessageSettings, Progress
from penstock.worker.delivery import Buried, Delivery, GivenBack, Parked, SettledWith
from penstock.worker.in_process import outcome_of
from penstock.worker.metrics import WorkerMetrics
from penstock.worker.outcome import (
    STOPPED,
    Done,
    Failed,
    NotDone,
    NotStarted,
    Outcome,
    Stopped,
    Unreadable,
)
from penstock.worker.settler import Settler
from penstock.worker.slots import Slots
from penstock_spec.kinds.pipeline.work import PipelineWork

PATIENCE = 10.0
"""Seconds that a handler has to end after it was cancelled; then its message goes on without it."""
PAUSE = 1.0
"""Seconds that the slot of an attempt rests that could not be begun: the next one may fare no better."""
LOST = "its workers were lost, the last time while it ran alone"
FIRST_TIME = 10**12
"""Ids below were chosen by somebody, and are no times: this is the year 2001, in ms."""


class Runner(Protocol):
    """Runs handlers: in this process, or in another."""

    def run(self, delivery: Delivery, context: Context) -> Awaitable[Outcome]:
        """Run one attempt. Raises GeneratorExit if the handler does, which asyncio shows to its caller alone."""


class Attempt:
    """One delivery that runs."""

    __slots__ = ("alone", "began", "context", "delivery", "ended", "patience", "task")

    def __init__(self, delivery: Delivery, context: Context, began: float, *, alone: bool) -> None:
        self.delivery = delivery
        self.context = context
        self.began = began
        self.alone = alone
        self.ended = False
        """Its outcome is told, though its handler may go on."""
        self.task: asyncio.Task[None] | None = None
        self.patience: asyncio.TimerHandle | None = None


class Attempts:
    """Starts deliveries, ends them in time, and says what becomes of each."""

    def __init__(  # noqa: PLR0913, PLR0917 - what it works with, each of a kind of its own
        self,
        work: PipelineWork,
        settings: MessageSettings,
        runner: Runner,
        isolated_runner: Runner,
        retry_policy: RetryPolicy,
        settler: Settler,
        slots: Slots,
        metrics: WorkerMetrics,
        lose: Callable[[str], object],
        *,
        rng: Random,
        clocks: Clocks = CLOCKS,
    ) -> None:
        """`isolated_runner` runs suspects, each in a process of its own. `lose` ends a consumer."""
        self._work = work
        self._settings = settings
        self._runner = runner
        self._isolated_runner = isolated_runner
        self._retry_policy = retry_policy
        self._settler = settler
        self._slots = slots
        self._metrics = metrics
        self._lose = lose
        self._rng = rng
        self._monotonic = clocks.monotonic
        self._wall = clocks.wall
        self._timeout = work.timeout.seconds
        self._timer: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._log = Log(settings.logger)
        self._lingering: set[asyncio.Future[Any]] = set()
        self.running: dict[bytes, Attempt] = {}
        """By entry, in the order in which they began."""
        self.suspects = 0
        self.alone = 0
        self.consumer: str | None = None
        self.draining = False
        self.changed = asyncio.Event()
        """Set when an attempt ends."""

    # what is delivered

    def deliver(self, delivery: Delivery, *, alone: bool = False) -> None:
        """Start it, unless it runs here already, or must not."""
        self._metrics.delivered(delivery.source)
        if delivery.consumer != self.consumer:  # an answer to a life that is over
            self._settler.add(GivenBack(delivery, "found"))
            return
        present = self.running.get(delivery.id)
        if present is not None:
            self._metrics.redelivered.add()
            self._again(present, delivery)
        elif delivery.again:
            delivery.uncharged += 1  # this one is no attempt
            context = Context(delivery, self._monotonic(), self._settings)
            self._settler.add(Buried(delivery, "lost", LOST, LOST, about=context))
        elif self.draining:
            self._settler.add(GivenBack(delivery, "unstarted"))
        else:
            self._start(delivery, alone=alone)

    def _again(self, present: Attempt, delivery: Delivery) -> None:
        """A second delivery of what runs here renews its fence, and is not charged."""
        if present.context.why is not None or present.ended:
            self._settler.add(GivenBack(delivery, "cancelled"))
            return
        held = present.delivery
        attempt = held.attempt
        held.count, held.consumer = delivery.count, delivery.consumer
        held.uncharged = held.count - attempt
        held.free = held.uncharged - delivery.uncharged

    def _start(self, delivery: Delivery, *, alone: bool) -> None:
        now = self._monotonic()
        attempt = Attempt(delivery, Context(delivery, now + self._timeout, self._settings), now, alone=alone)
        self.running[delivery.id] = attempt
        self._slots.running += 1
        if delivery.source:
            self.suspects += delivery.is_suspect
            self.alone += alone
        if self._timer is None:
            self._timer = self._loop.call_later(self._timeout, self._watch_the_clock)
        attempt.task = self._loop.create_task(self._run(attempt))

    def runs(self, entry: bytes, count: int, consumer: str) -> bool:
        """Whether this very delivery runs here."""
        attempt = self.running.get(entry)
        return (
            attempt is not None
            and not attempt.ended
            and attempt.delivery.count == count
            and attempt.delivery.consumer == consumer
        )

    # how it ends

    async def _run(self, attempt: Attempt) -> None:
        delivery = attempt.delivery
        runner = self._isolated_runner if delivery.source and delivery.is_suspect else self._runner
        if attempt.context.why is not None:  # it was cancelled ahead of this, its first step
            self._end(attempt, STOPPED)
            return
        try:
            outcome = await runner.run(delivery, attempt.context)
        except BaseException as error:  # noqa: BLE001 - see `Runner`
            outcome = outcome_of(error, attempt.context)
        if isinstance(outcome, Done):
            self._done(attempt, outcome)
        else:
            self._end(attempt, outcome)

    def _done(self, attempt: Attempt, outcome: Done) -> None:
        if not attempt.ended:
            if outcome.result is None:
                self._settler.settle(attempt.delivery)
            else:
                self._settler.add(SettledWith(attempt.delivery, outcome.result))
            self._metrics.handling["done"].observe(self._monotonic() - attempt.began)
        self._leave(attempt)

    def _end(self, attempt: Attempt, outcome: NotDone) -> None:
        keeps_slot = True
        match outcome:
            case Stopped(thread=asyncio.Future() as thread):
                self._linger(attempt, thread)
            case NotStarted():
                self._loop.call_later(PAUSE, self._slots.release)
            case _:
                keeps_slot = False
        try:
            if not attempt.ended:
                self._judge(attempt, outcome)
        finally:
            self._leave(attempt, keeps_slot=keeps_slot)

    def _judge(self, attempt: Attempt, outcome: NotDone) -> None:
        """Decide what becomes of the message: first by why the attempt was cancelled, then by how it ended."""
        label = "cancelled"
        match attempt.context.why:
            case "lost":  # it belongs to another worker
                pass
            case "drain":
                self._settler.add(GivenBack(attempt.delivery, "drained"))
            case "timeout" if not isinstance(outcome, Crashed | NotStarted):
                label = "timed_out"
                self._timed_out(attempt)
            case None | "timeout":
                label = self._follow(attempt, outcome)
        self._metrics.handling[label].observe(self._monotonic() - attempt.began)

    def _follow(self, attempt: Attempt, outcome: NotDone) -> str:
        """Take the step that follows from an outcome, and give its label."""
        delivery, label = attempt.delivery, "failed"
        match outcome:
            case Crashed(_, text):
                label = "crashed"
                self._metrics.children_crashed.add()
                attempt.context.log.event(Event.MESSAGE_CRASHED, how=text)
                self._after(attempt, Failure(("penstock.Crash", "builtins.Exception"), text=text), crashed=True)
            case NotStarted():
                label = "failed" if attempt.context.why is None else "cancelled"
                self._settler.add(GivenBack(delivery, "unstarted"))
            case Unreadable(reason, says):
                attempt.context.log.event(Event.MESSAGE_UNREADABLE, reason=reason, detail=says)
                error = f"{reason}: {says}"
                self._settler.add(Buried(delivery, "unreadable", error, error, about=attempt.context))
            case Failed(failure):
                self._after(attempt, failure, crashed=False)
            case Stopped():  # cancelled by code that is not Penstock's
                self._after(attempt, Failure.of(asyncio.CancelledError()), crashed=False)
        return label

    def _timed_out(self, attempt: Attempt) -> None:
        self._metrics.timeouts.add()
        attempt.context.log.event(Event.MESSAGE_TIMED_OUT, timeout=str(self._work.timeout))
        if self._work.on_timeout == "finish":
            self._settler.settle(attempt.delivery)
        else:
            self._after(attempt, Failure.of(TimeoutError(f"it took longer than {self._work.timeout}")), crashed=False)

    def _after(self, attempt: Attempt, failure: Failure, *, crashed: bool) -> None:
        """What follows from a failed attempt."""
        delivery = attempt.delivery
        decision = self._retry_policy.decide(failure, delivery.attempt, self._rng)
        if isinstance(decision, BuryDecision):
            context = attempt.context
            self._settler.add(Buried(delivery, decision.reason, failure.error, failure.type, failure.at, about=context))
            return
        self._settler.add(Parked(delivery, decision.wait_ms, decision.class_name, crashed))
        self._slots.park(decision.wait_ms / 1000)

    def _leave(self, attempt: Attempt, *, keeps_slot: bool = False) -> None:
        """Its handler has ended; its slot may be kept a while longer."""
        attempt.ended = True
        if attempt.patience is not None:
            attempt.patience.cancel()
        if self.running.get(attempt.delivery.id) is attempt:
            del self.running[attempt.delivery.id]
        if attempt.delivery.source:
            self.suspects -= attempt.delivery.is_suspect
            self.alone -= attempt.alone
        if not keeps_slot:
            self._slots.release()
        self.changed.set()

    def _linger(self, attempt: Attempt, future: asyncio.Future[object]) -> None:
        self._lingers(future)
        attempt.context.log.event(Event.HANDLER_ABANDONED, handler="function")

        def ended(_: asyncio.Future[object]) -> None:
            future.exception()  # nobody asks for it any more
            self._slots.release()

        future.add_done_callback(ended)

    def _lingers(self, future: asyncio.Future[Any]) -> None:
        """What goes on after its message has gone on."""
        self._lingering.add(future)
        self._metrics.abandoned.set(len(self._lingering))

        def ended(_: asyncio.Future[Any]) -> None:
            self._lingering.discard(future)
            self._metrics.abandoned.set(len(self._lingering))
            self.changed.set()

        future.add_done_callback(ended)

    # what is cancelled

    def _watch_the_clock(self) -> None:
        """All attempts have the same time, so the first that began is the first whose time is over."""
        self._timer = None
        now = self._monotonic()
        for attempt in list(self.running.values()):
            left = attempt.began + self._timeout - now
            if left > 0:
                self._timer = self._loop.call_later(left, self._watch_the_clock)
                return
            self._cancel(attempt, "timeout")

    def _cancel(self, attempt: Attempt, why: CancelReason) -> None:
        if attempt.context.why is not None or attempt.ended or attempt.task is None:
            return
        attempt.context.why = why
        # A task that is cancelled ahead of its first step never takes it, and would not leave its slot.
        self._loop.call_soon(attempt.task.cancel)
        if why != "drain":  # that has its own end
            attempt.patience = self._loop.call_later(PATIENCE, self._abandon, attempt)

    def _abandon(self, attempt: Attempt) -> None:
        """A handler that ignores being cancelled keeps its slot; its message goes on, and may come back here."""
        if not attempt.ended and attempt.task is not None:
            self._judge(attempt, STOPPED)
            attempt.ended = True
            del self.running[attempt.delivery.id]
            self._lingers(attempt.task)
            attempt.context.log.event(Event.HANDLER_ABANDONED, handler="coroutine")

    def cancel_all(self, why: CancelReason, consumer: str | None = None) -> None:
        """Cancel what runs: all, or what was delivered to one life of this worker."""
        for attempt in list(self.running.values()):
            if consumer is None or attempt.delivery.consumer == consumer:
                self._cancel(attempt, why)

    def give_up(self) -> int:
        """The process ends: what still runs is given back while it runs. How many there were."""
        left = [one for one in self.running.values() if not one.ended and one.context.why != "lost"]
        for attempt in left:
            attempt.context.why = attempt.context.why or "drain"
            attempt.ended = True
            self._settler.add(GivenBack(attempt.delivery, "drained"))
        return len(left)

    @property
    def lingers(self) -> bool:
        """Whether a handler goes on after its message has gone on."""
        return bool(self._lingering)

    @property
    def busy(self) -> int:
        """Handlers that have not ended."""
        return len(self.running) + len(self._lingering)

    def told(self) -> list[Progress]:
        """What those that run have said last."""
        return [one.context.told for one in self.running.values() if one.context.told is not None]

    # what else the lanes tell

    def waited(self, oldest: bytes, entries: int) -> None:
        """So many new ones were delivered, the oldest first. It stands for all of them, so that this costs nothing."""
        sent = int(oldest.partition(b"-")[0])
        if sent > FIRST_TIME:
            self._metrics.waiting.observe(self._wall() - sent / 1000, entries)

    def unclaimed(self, entries: int) -> None:
        """Entries could not be claimed: somebody had deleted them from the stream."""
        self._metrics.deleted(entries)
        self._log.event(Event.MESSAGES_LOST, count=entries, state="pending")

    def group_gone(self, consumer: str) -> None:
        """The group is not there, so this consumer's life is over."""
        self._lose(consumer)
