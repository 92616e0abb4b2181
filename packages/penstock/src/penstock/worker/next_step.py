"""Decides the next step of a message whose attempt ended, but was not done: it is retried, given back or buried."""

from __future__ import annotations

import asyncio
from random import Random

from penstock.handling.failures import Failure
from penstock.handling.retry_policy import BuryDecision, RetryPolicy
from penstock.isolation.runs import Crashed
from penstock.observe.events import Event
from penstock.worker.attempt import Attempt
from penstock.worker.delivery import Buried, GivenBack, Parked
from penstock.worker.metrics import WorkerMetrics
from penstock.worker.newer_version import next_wait
from penstock.worker.outcome import Failed, NotDone, NotStarted, Stopped, Unreadable
from penstock.worker.settler import CRASH, Settler
from penstock.worker.slots import Slots
from penstock_spec.kinds.pipeline.work import PipelineWork


class NextStep:
    """Takes the next step of a message, through the settler."""

    def __init__(  # noqa: PLR0913, PLR0917 - its collaborators, each of another type
        self,
        work: PipelineWork,
        retry_policy: RetryPolicy,
        settler: Settler,
        slots: Slots,
        metrics: WorkerMetrics,
        rng: Random,
    ) -> None:
        """`rng` spreads the waits of retries."""
        self._work = work
        self._retry_policy = retry_policy
        self._settler = settler
        self._slots = slots
        self._metrics = metrics
        self._rng = rng

    def take(self, attempt: Attempt, outcome: NotDone) -> str:
        """Take the step that follows from an outcome, and return the outcome's label."""
        delivery, label = attempt.delivery, "failed"
        match outcome:
            case Crashed(_, text):
                label = "crashed"
                self._metrics.children_crashed.add()
                attempt.context.log.event(Event.MESSAGE_CRASHED, how=text)
                self._retry_or_bury(attempt, Failure((CRASH, "builtins.Exception"), text=text), crashed=True)
            case NotStarted():
                label = "failed" if attempt.context.why is None else "cancelled"
                self._settler.add(GivenBack(delivery, "unstarted"))
            case Unreadable("newer-version", says) if (wait := next_wait(delivery.uncharged)) is not None:
                attempt.context.log.event(Event.MESSAGE_NEWER, detail=says, wait_ms=wait)
                self._settler.add(Parked(delivery, wait, "", uncharged=True))
                self._slots.park(wait / 1000)
            case Unreadable(reason, says):
                attempt.context.log.event(Event.MESSAGE_UNREADABLE, reason=reason, detail=says)
                error = f"{reason}: {says}"
                self._settler.add(Buried(delivery, "unreadable", error, error, subject=attempt.context))
            case Failed(failure):
                self._retry_or_bury(attempt, failure, crashed=False)
            case Stopped():  # cancelled by the handler or a library
                failure = Failure.of(asyncio.CancelledError())
                attempt.context.log.event(Event.MESSAGE_FAILED, error=failure.type)
                self._retry_or_bury(attempt, failure, crashed=False)
        return label

    def timed_out(self, attempt: Attempt) -> None:
        """Take the step that follows from a timeout."""
        self._metrics.timeouts.add()
        attempt.context.log.event(Event.MESSAGE_TIMED_OUT, timeout=str(self._work.timeout))
        if self._work.on_timeout == "finish":
            self._settler.settle(attempt.delivery)
        else:
            failure = Failure.of(TimeoutError(f"it took longer than {self._work.timeout}"))
            self._retry_or_bury(attempt, failure, crashed=False)

    def _retry_or_bury(self, attempt: Attempt, failure: Failure, *, crashed: bool) -> None:
        """Park the message for its next attempt, or bury it."""
        delivery = attempt.delivery
        decision = self._retry_policy.decide(failure, delivery.attempt, self._rng)
        if isinstance(decision, BuryDecision):
            context = attempt.context
            self._settler.add(
                Buried(delivery, decision.reason, failure.error, failure.type, failure.at, subject=context)
            )
            return
        self._settler.add(Parked(delivery, decision.wait_ms, decision.class_name, crashed))
        self._slots.park(decision.wait_ms / 1000)
