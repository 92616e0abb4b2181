"""What runs here: each delivery is one attempt, with a time of its own, an end and an outcome."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any, Protocol

from penstock.handling.calling import ThreadStillRunning
from penstock.handling.failures import Failure
from penstock.handling.retry_policy import BuryDecision, RetryPolicy
from penstock.message.unreadable import Unreadable
from penstock.observe.failures import failure
from penstock.observe.logs import Log
from penstock.worker.context import CancelReason, Context, MessageSettings, Progress
from penstock.worker.delivery import Buried, Delivery, GivenBack, Parked, SettledWith
from penstock.worker.metrics import WorkerMetrics
from penstock.worker.settler import Settler
from penstock.worker.slots import Slots
from penstock_spec.kinds.pipeline.work import PipelineWork

PATIENCE = 10.0
"""Seconds that a handler has to end after it was cancelled; then its message goes on without it."""
PAUSE = 1.0
"""Seconds that the slot of an attempt rests that could not be begun: the next one may fare no better."""
FIRST_TIME = 10**12
"""Ids below were chosen by somebody, and are no times: this is the year 2001, in ms."""


class Crash(Exception):  # noqa: N818 - what happened, rather than whose fault it is
    """The handler took its process down."""


class Stopped(Exception):  # noqa: N818 - as above
    """A child ended because it was told to."""


class Unstarted(Exception):  # noqa: N818 - as above
    """The attempt could not be begun, through no fault of the message."""


class Runner(Protocol):
    """Something that runs messages: in this process, or in another."""

    def run(self, delivery: Delivery, context: Context) -> Awaitable[None]:
        """One attempt. Raises what the handler raised or its stand-in; Unreadable, Crash, Stopped, Unstarted."""


class FailedElsewhere(Exception):  # noqa: N818 - as above
    """A handler failed in another process; the failure came over as a value."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.error)
        self.failure = failure


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
        terms: MessageSettings,
        here: Runner,
        apart: Runner,
        retry_policy: RetryPolicy,
        settler: Settler,
        slots: Slots,
        metrics: WorkerMetrics,
        lose: Callable[[str], object],
        *,
        rng: Random,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """`apart` runs suspects, each in a process of its own. `lose` is told of a life that is over."""
        self._work = work
        self._terms = terms
        self._here = here
        self._apart = apart
        self._retry_policy = retry_policy
        self._settler = settler
        self._slots = slots
        self._metrics = metrics
        self._lose = lose
        self._rng = rng
        self._clock = clock
        self._wall = wall
        self._timeout = work.timeout.seconds
        self._timer: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._log = Log(terms.logger)
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
            self._settler.add(Buried(delivery, "lost", "its workers were lost, the last time while it ran alone"))
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
        now = self._clock()
        attempt = Attempt(delivery, Context(delivery, now + self._timeout, self._terms), now, alone=alone)
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
        runs = self._apart if delivery.source and delivery.is_suspect else self._here
        if attempt.context.why is not None:  # it was cancelled ahead of this, its first step
            self._raised(attempt, Stopped())
            return
        try:
            await runs.run(delivery, attempt.context)
        except BaseException as error:  # noqa: BLE001 - a handler may raise anything, `SystemExit` too
            self._raised(attempt, error)
        else:
            self._done(attempt)

    def _done(self, attempt: Attempt) -> None:
        if not attempt.ended:
            left = attempt.context.left
            if left is None:
                self._settler.settle(attempt.delivery)
            else:
                self._settler.add(SettledWith(attempt.delivery, left.result, left.stays))
            self._metrics.handling["done"].observe(self._clock() - attempt.began)
        self._leave(attempt)

    def _raised(self, attempt: Attempt, error: BaseException) -> None:
        keeps_slot = True
        if type(error) is ThreadStillRunning:
            self._linger(attempt, error.future)
        elif type(error) is Unstarted:
            self._loop.call_later(PAUSE, self._slots.release)
        else:
            keeps_slot = False
        try:
            if not attempt.ended:
                self._fail(attempt, error)
        finally:
            self._leave(attempt, keeps_slot=keeps_slot)

    def _fail(self, attempt: Attempt, error: BaseException) -> None:
        """Say what becomes of it, whatever the error is made of."""
        try:
            self._judge(attempt, error)
        except Exception as own:  # noqa: BLE001 - its message must not be stuck
            at = failure(own).at
            self._log.error("a failure cannot be judged, and counts as any other", error=type(own).__name__, at=at)
            self._after(attempt, Failure(("builtins.Exception",), text="(it cannot be told)"), crashed=False)

    def _judge(self, attempt: Attempt, error: BaseException) -> None:
        delivery, why = attempt.delivery, attempt.context.why
        word = "failed" if why is None else "cancelled"
        # What a handler raises while it is cancelled is an echo of that, and no failure of the message.
        if why == "lost":
            pass  # it is another's
        elif why == "drain":
            self._settler.add(GivenBack(delivery, "drained"))
        elif isinstance(error, Crash):
            word = "crashed"
            self._metrics.children_crashed.add()
            attempt.context.log.warning("a message took its process down", how=str(error))
            self._after(attempt, Failure(("penstock.Crash", "builtins.Exception"), text=str(error)), crashed=True)
        elif isinstance(error, Unstarted):
            self._settler.add(GivenBack(delivery, "unstarted"))
        elif why == "timeout":
            word = "timed_out"
            self._timed_out(attempt)
        elif isinstance(error, Unreadable):
            attempt.context.log.warning("a message cannot be read", reason=error.reason)
            self._settler.add(Buried(delivery, "unreadable", str(error)))
        elif isinstance(error, FailedElsewhere):
            self._after(attempt, error.failure, crashed=False)
        else:
            attempt.context.log.failure("a message failed", error)
            self._after(attempt, Failure.of(error), crashed=False)
        self._metrics.handling[word].observe(self._clock() - attempt.began)

    def _timed_out(self, attempt: Attempt) -> None:
        self._metrics.timeouts.add()
        attempt.context.log.warning("a message took too long", timeout=str(self._work.timeout))
        if self._work.on_timeout == "finish":
            self._settler.settle(attempt.delivery)
        else:
            self._after(attempt, Failure.of(TimeoutError(f"it took longer than {self._work.timeout}")), crashed=False)

    def _after(self, attempt: Attempt, failure: Failure, *, crashed: bool) -> None:
        """What follows from a failed attempt."""
        delivery = attempt.delivery
        decision = self._retry_policy.decide(failure, delivery.attempt, self._rng)
        if isinstance(decision, BuryDecision):
            self._settler.add(Buried(delivery, decision.reason, failure.error))
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
        attempt.context.log.warning("a plain function goes on after it was cancelled, and keeps its slot")

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
        now = self._clock()
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
            self._fail(attempt, Stopped())
            attempt.ended = True
            del self.running[attempt.delivery.id]
            self._lingers(attempt.task)
            attempt.context.log.warning("a handler ignores that it was cancelled, and keeps its slot")

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
        self._log.error("messages were deleted while they were pending; they are lost", count=entries)

    def group_gone(self, consumer: str) -> None:
        """The group is not there, so this consumer's life is over."""
        self._lose(consumer)
