"""Runs the attempts of a worker: each delivery is one, with a timeout and an outcome."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from random import Random
from typing import Protocol

from penstock.clocks import CLOCKS, Clocks
from penstock.handling.retry_policy import RetryPolicy
from penstock.isolation.runs import CancelReason, Crashed
from penstock.message.body import too_large
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.pod.lease_term import LeaseTerm
from penstock.worker.abandoned import AbandonedHandlers
from penstock.worker.attempt import Attempt
from penstock.worker.context import Context, MessageSettings, Progress
from penstock.worker.delivery import Buried, Delivery, GivenBack, SettledWith
from penstock.worker.in_process import outcome_of
from penstock.worker.metrics import WorkerMetrics
from penstock.worker.next_step import NextStep
from penstock.worker.outcome import (
    STOPPED,
    Done,
    NotDone,
    NotStarted,
    Outcome,
    Stopped,
)
from penstock.worker.settler import Settler
from penstock.worker.slots import Slots
from penstock.worker.suspect_pace import PacedRunner, SuspectPace
from penstock_spec.kinds.pipeline.work import PipelineWork
from penstock_spec.values.quantities import Size

PATIENCE = 10.0
"""Seconds that a cancelled handler has to end; after that it is logged as abandoned."""
NOT_STARTED_PAUSE = 1.0
"""Seconds until an attempt that could not start frees its slot, because the next one may fail in the same way."""
NO_CHILDREN_PAUSE = 60.0
"""Seconds without suspects in child processes after one could not start: meanwhile they run alone in this worker."""
LOST = "its workers were lost, the last time while it ran alone"
FIRST_TIMESTAMP = 10**12
"""Lower entry ids are not times, but chosen by a sender: this is the year 2001, in ms."""


class Runner(Protocol):
    """Runs handlers: in this process, or in another."""

    def run(self, delivery: Delivery, context: Context) -> Awaitable[Outcome]:
        """Run one attempt. Raises only GeneratorExit, which asyncio passes on to the outermost coroutine."""


class Attempts:
    """Starts deliveries, cancels them at their timeout, and decides the next step of each message."""

    def __init__(  # noqa: PLR0913, PLR0917 - its collaborators, each of another type
        self,
        work: PipelineWork,
        settings: MessageSettings,
        runner: Runner,
        isolated_runner: Runner,
        alone_runner: Runner,
        retry_policy: RetryPolicy,
        settler: Settler,
        slots: Slots,
        metrics: WorkerMetrics,
        abandoned: AbandonedHandlers,
        on_group_gone: Callable[[str], object],
        on_expired: Callable[[str], object],
        room_for_suspects: Callable[[int], int],
        *,
        max_size: Size,
        term: LeaseTerm,
        rng: Random,
        clocks: Clocks = CLOCKS,
    ) -> None:
        """`isolated_runner` runs suspects, `alone_runner` those that must run alone in this worker.

        `on_group_gone` gets the consumer whose group does not exist, `on_expired` one whose lease may have expired,
        which `term` tells. `room_for_suspects` gets the number of suspects in
        child processes, and returns how many more memory allows.
        """
        self._work = work
        self._max_size = max_size
        self._settings = settings
        self._runner = runner
        self._pace = SuspectPace()
        self._isolated_runner = PacedRunner(isolated_runner, self._pace)
        self._alone_runner = alone_runner
        self._no_children_until = 0.0
        self._room_for_suspects = room_for_suspects
        self._next_step = NextStep(work, retry_policy, settler, slots, metrics, rng)
        self._settler = settler
        self._slots = slots
        self._metrics = metrics
        self._observe_done = metrics.handling["done"].observe
        self._on_group_gone = on_group_gone
        self._on_expired = on_expired
        self._term = term
        self._monotonic = clocks.monotonic
        self._wall = clocks.wall
        self._timeout = work.timeout.seconds
        self._timer: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._log = Log(settings.logger)
        self._debugs = settings.logger.isEnabledFor(logging.DEBUG)
        self._abandoned = abandoned
        self.running: dict[bytes, Attempt] = {}
        """Attempts by entry id, oldest first."""
        self.suspects = 0
        """Suspects among them."""
        self.alone = 0
        """Suspects that must run alone in this worker, until their handlers end."""
        self.consumer: str | None = None
        """The current consumer of this worker."""
        self.draining = False
        self.changed = asyncio.Event()
        """Set when an attempt ends."""

    # deliveries

    def deliver(self, delivery: Delivery, *, alone: bool = False) -> None:
        """Start a delivery, unless it runs here already or must not run."""
        self._metrics.delivered(delivery.source)
        if delivery.consumer != self.consumer:  # a reply to a lost consumer
            self._settler.add(GivenBack(delivery, "found"))
            return
        running = self.running.get(delivery.id)
        if running is not None:
            self._metrics.redelivered.add()
            self._renew_fence(running, delivery)
        elif delivery.lost_isolated:
            delivery.uncharged += 1  # this delivery is not an attempt
            context = Context(delivery, self._monotonic(), self._settings)
            self._settler.add(Buried(delivery, "lost", LOST, LOST, subject=context))
        elif delivery.left_out:
            self._bury_unread(delivery)
        elif self.draining:
            self._settler.add(GivenBack(delivery, "unstarted"))
        else:
            self._start(delivery, alone=alone)

    def _bury_unread(self, delivery: Delivery) -> None:
        """Bury a message whose body is larger than the spec allows, and stays in Redis."""
        context = Context(delivery, self._monotonic(), self._settings)
        problem = too_large(delivery.left_out, self._max_size)
        context.log.event(Event.MESSAGE_UNREADABLE, reason=problem.reason, detail=problem.says)
        self._settler.add(Buried(delivery, "unreadable", str(problem), str(problem), subject=context))

    def _renew_fence(self, running: Attempt, delivery: Delivery) -> None:
        """Renew the fence of a running message that was delivered again; this is not charged as an attempt.

        The handler keeps the fence with which it started, because no other handler has the new one.
        """
        if running.context.why is not None or running.ended:
            self._settler.add(GivenBack(delivery, "cancelled"))
            return
        current, count = running.delivery, delivery.count
        renewed = Delivery(
            current.id, current.fields, delivery.consumer, count, count - current.attempt, current.source
        )
        renewed.renewals = renewed.uncharged - delivery.uncharged
        running.delivery = renewed

    def _start(self, delivery: Delivery, *, alone: bool) -> None:
        attempt = Attempt(delivery, Context(delivery, math.inf, self._settings), alone=alone)
        self.running[delivery.id] = attempt
        self._slots.running += 1
        if delivery.source:
            self.suspects += delivery.is_suspect
            self.alone += alone
        if self._timer is None:
            self._timer = self._loop.call_later(self._timeout, self._cancel_overdue)
        if self._debugs:
            attempt.context.log.event(Event.MESSAGE_STARTED, entry=delivery.id.decode())
        attempt.task = self._loop.create_task(self._run(attempt))

    @property
    def most_suspects(self) -> int:
        """How many suspects may run at the same time in child processes."""
        return self._pace.most

    def room_for_suspects(self) -> int:
        """How many more suspects may run in child processes: none for a while after one could not start."""
        if self._monotonic() < self._no_children_until:
            return 0
        return min(self._room_for_suspects(self.suspects), self._pace.most - self.suspects)

    def first_attempts(self, consumer: str) -> list[bytes]:
        """The messages of a consumer that run here for the first time."""
        return [
            entry
            for entry, one in self.running.items()
            if one.delivery.count == 1
            and one.delivery.consumer == consumer
            and not one.ended
            and one.context.why is None
        ]

    def is_running(self, entry: bytes, count: int, consumer: str) -> bool:
        """Whether this delivery runs here, and no other of the same entry."""
        attempt = self.running.get(entry)
        return (
            attempt is not None
            and not attempt.ended
            and attempt.delivery.count == count
            and attempt.delivery.consumer == consumer
        )

    # outcomes

    async def _run(self, attempt: Attempt) -> None:
        delivery, context, term = attempt.delivery, attempt.context, self._term
        attempt.started = now = self._monotonic()
        context.deadline = now + self._timeout
        if context.why is not None:  # it was cancelled before its first step
            self._end(attempt, STOPPED)
            return
        if now >= term.until or delivery.consumer != term.consumer:
            self._leave_to_others(attempt)
            return
        runner = self._runner_of(attempt) if delivery.source else self._runner
        try:
            outcome = await runner.run(delivery, context)
        except BaseException as error:  # noqa: BLE001 - see `Runner`
            outcome = outcome_of(error, context)
        if isinstance(outcome, Done):
            self._done(attempt, outcome)
        else:
            self._end(attempt, outcome)

    def _leave_to_others(self, attempt: Attempt) -> None:
        """Start nothing: this process was suspended after the delivery, and others may run the message by now."""
        attempt.ended = True
        self._settler.add(GivenBack(attempt.delivery, "found"))
        self._release(attempt)
        self._on_expired(attempt.delivery.consumer)

    def _runner_of(self, attempt: Attempt) -> Runner:
        if attempt.alone:
            return self._alone_runner
        return self._isolated_runner if attempt.delivery.is_suspect else self._runner

    def _done(self, attempt: Attempt, outcome: Done) -> None:
        if not attempt.ended:
            if outcome.result is None:
                self._settler.settle(attempt.delivery)
            else:
                self._settler.add(SettledWith(attempt.delivery, outcome.result))
            self._observe_done(self._monotonic() - attempt.started)
            if self._debugs:
                self._log_end("done", attempt)
        self._release(attempt)

    def _end(self, attempt: Attempt, outcome: NotDone) -> None:
        keeps_slot = True
        match outcome:
            case Stopped(thread=asyncio.Future() as thread):
                self._abandon_thread(attempt, thread)
            case NotStarted():
                self._loop.call_later(NOT_STARTED_PAUSE, self._slots.release)
                if attempt.delivery.is_suspect and self._work.isolation == "none":
                    self._no_children_until = self._monotonic() + NO_CHILDREN_PAUSE
            case _:
                keeps_slot = False
        try:
            if not attempt.ended:
                self._conclude(attempt, outcome)
        finally:
            self._release(attempt, keeps_slot=keeps_slot)

    def _log_end(self, outcome: str, attempt: Attempt) -> None:
        seconds = round(self._monotonic() - attempt.started, 3)
        attempt.context.log.event(Event.MESSAGE_ENDED, outcome=outcome, seconds=seconds)

    def _conclude(self, attempt: Attempt, outcome: NotDone) -> None:
        """Decide the next step of the message: first by why the attempt was cancelled, then by how it ended."""
        label = "cancelled"
        match attempt.context.why:
            case "lost":  # it belongs to another worker
                pass
            case "drain":
                self._settler.add(GivenBack(attempt.delivery, "drained"))
            case "timeout" if not isinstance(outcome, Crashed | NotStarted):
                label = "timed_out"
                self._next_step.timed_out(attempt)
            case None | "timeout":
                label = self._next_step.take(attempt, outcome)
        self._metrics.handling[label].observe(self._monotonic() - attempt.started)
        if self._debugs:
            self._log_end(label, attempt)

    def _release(self, attempt: Attempt, *, keeps_slot: bool = False) -> None:
        """Forget an attempt whose handler has ended; `keeps_slot` if its slot is released later."""
        attempt.ended = True
        if attempt.patience is not None:
            attempt.patience.cancel()
        delivery = attempt.delivery
        if self.running.get(delivery.id) is attempt:
            del self.running[delivery.id]
        if delivery.source:
            self.suspects -= delivery.is_suspect
            self.alone -= attempt.alone
        if not keeps_slot:
            self._slots.release()
        self.changed.set()

    def _abandon_thread(self, attempt: Attempt, future: asyncio.Future[object]) -> None:
        """Count a plain function that still runs; log it only if it ignores its cancellation for some time."""
        log = attempt.context.log
        patience = self._loop.call_later(PATIENCE, lambda: log.event(Event.HANDLER_ABANDONED, handler="function"))
        self.alone += attempt.alone  # once more: the attempt is released before its thread ends

        def ended() -> None:
            patience.cancel()
            if not future.cancelled():
                future.exception()  # retrieved, so that asyncio does not log it
            self.alone -= attempt.alone
            self._slots.release()
            self.changed.set()

        self._abandoned.add(future, ended, alone=attempt.alone)

    # cancellation

    def _cancel_overdue(self) -> None:
        """Cancel attempts that exceed the timeout. All have the same timeout, so the oldest is checked first."""
        self._timer = None
        now = self._monotonic()
        for attempt in list(self.running.values()):
            left = min(attempt.started, now) + self._timeout - now  # before its first step, it starts now
            if left > 0:
                self._timer = self._loop.call_later(left, self._cancel_overdue)
                return
            self._cancel(attempt, "timeout")

    def _cancel(self, attempt: Attempt, why: CancelReason) -> None:
        if attempt.context.why is not None or attempt.ended or attempt.task is None:
            return
        attempt.context.why = why
        # Later: a task that is cancelled before its first step never runs, and would not free its slot.
        self._loop.call_soon(attempt.task.cancel)
        if why != "drain":  # a drain has its own deadline
            attempt.patience = self._loop.call_later(PATIENCE, self._abandon, attempt)

    def _abandon(self, attempt: Attempt) -> None:
        """Abandon a handler that ignores its cancellation: it keeps its slot, and its message goes on without it."""
        if not attempt.ended and attempt.task is not None:
            self._conclude(attempt, STOPPED)
            attempt.ended = True
            del self.running[attempt.delivery.id]
            self._abandoned.add(attempt.task, self.changed.set, alone=attempt.alone)
            attempt.context.log.event(Event.HANDLER_ABANDONED, handler="coroutine")

    def cancel_all(self, why: CancelReason, consumer: str | None = None) -> None:
        """Cancel all attempts, or those of one consumer."""
        for attempt in list(self.running.values()):
            if consumer is None or attempt.delivery.consumer == consumer:
                self._cancel(attempt, why)

    def set_lost(self, consumer: str) -> None:
        """The lease of this consumer was lost: its handlers run on, and learn that others may run their messages."""
        for attempt in self.running.values():
            if attempt.delivery.consumer == consumer:
                attempt.context.set_lost()

    def give_back_all(self) -> int:
        """Give back all running messages, because the process ends; return their number."""
        left = [one for one in self.running.values() if not one.ended and one.context.why != "lost"]
        for attempt in left:
            attempt.context.why = attempt.context.why or "drain"
            attempt.ended = True
            self._settler.add(GivenBack(attempt.delivery, "drained"))
        return len(left)

    @property
    def has_abandoned(self) -> bool:
        """Whether a handler runs on after its message was taken from it."""
        return len(self._abandoned) > 0

    @property
    def busy(self) -> int:
        """The number of handlers that have not ended."""
        return len(self.running) + len(self._abandoned)

    @property
    def unfinished(self) -> int:
        """Those of them for which a drain waits."""
        return len(self.running) if self._abandoned.are_stuck else self.busy

    def progress(self) -> list[Progress]:
        """The last progress of each running message."""
        return [one.context.last_progress for one in self.running.values() if one.context.last_progress is not None]

    # events of the intake

    def observe_wait(self, oldest: bytes, entries: int) -> None:
        """Record how long new messages have waited; for speed, only the oldest is measured."""
        sent = int(oldest.partition(b"-")[0])
        if sent > FIRST_TIMESTAMP:
            self._metrics.waiting.observe(self._wall() - sent / 1000, entries)

    def entries_deleted(self, entries: int) -> None:
        """Record entries that could not be claimed because they were deleted from the stream."""
        self._metrics.deleted(entries)
        self._log.event(Event.MESSAGES_LOST, count=entries, state="pending")

    def group_gone(self, consumer: str) -> None:
        """The group does not exist, so this consumer is lost."""
        self._on_group_gone(consumer)
