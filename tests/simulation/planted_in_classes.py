"""Bugs planted in the classes of the runtime, which the simulation must find."""

from __future__ import annotations

from dataclasses import replace

from penstock.handling.retry_policy import RetryPolicy
from penstock.maintenance.contact import Contact
from penstock.worker.attempts import Attempts
from penstock.worker.audit import Audit
from penstock.worker.delivery import Delivery
from penstock.worker.drain import Drain
from penstock.worker.intake import Intake
from penstock.worker.next_step import NextStep
from penstock.worker.settler import Settler

from .omissions import Omission
from .plan import Fault, Plan, PlannedMessage, Setup

GRACE = 12.0


def _short(*messages: PlannedMessage, attempts: int = 3) -> Setup:
    """A world whose workers get little time to drain."""
    return Setup(messages, janitors=1, attempts=attempts, grace=GRACE, margin=4.0, respawn=0.5, network="quick")


IN_CLASSES = (
    Omission(
        "a message is acknowledged before its handler starts",
        "settled-unfinished",
        "poison",
        edits=(
            (
                Attempts,
                "_start",
                "self.running[delivery.id] = attempt\n",
                "self.running[delivery.id] = attempt\n    self._settler.settle(delivery)\n",
            ),
        ),
    ),
    Omission(
        "a message that timed out is acknowledged",
        "settled-unfinished",
        "poison",
        edits=((NextStep, "timed_out", 'self._work.on_timeout == "finish"', "True"),),
    ),
    Omission(
        "a message that failed is acknowledged",
        "settled-unfinished",
        "poison",
        edits=(
            (
                NextStep,
                "_retry_or_bury",
                "    delivery = attempt.delivery\n",
                "    return self._settler.settle(attempt.delivery)\n    delivery = attempt.delivery\n",
            ),
        ),
    ),
    Omission(
        "a message that a drain cancelled counts as failed",
        "dead-without-failure",
        plan=Plan("charged", _short(PlannedMessage("m1", seconds=25), attempts=1), (Fault(1, "drain", "W1"),)),
        edits=(
            (
                Attempts,
                "_conclude",
                'self._settler.add(GivenBack(attempt.delivery, "drained"))',
                "label = self._next_step.take(attempt, Stopped())",
            ),
        ),
    ),
    Omission(
        "a delivery in a drain starts",
        "started-in-drain",
        "drains",
        edits=((Attempts, "deliver", "elif self.draining:", "elif False:"),),
    ),
    Omission(
        "a message that was lost in its last attempt runs again",
        "too-many-attempts",
        "poison",
        edits=((Attempts, "deliver", "elif delivery.lost_isolated:", "elif False:"),),
    ),
    Omission(
        "a suspect runs beside others",
        "suspect-not-isolated",
        "poison",
        edits=((Attempts, "_run", "self._runner_of(attempt) if delivery.source else self._runner", "self._runner"),),
    ),
    Omission(
        "a worker takes messages while a function runs on that had to run alone",
        "not-alone",
        plan=Plan(
            "beside",
            replace(
                _short(PlannedMessage("m1", seconds=15), PlannedMessage("m2", at=24), attempts=2),
                timeout=10.0,
                style="thread",
                memory="tight",
            ),
            (Fault(1, "crash", "W1"),),
        ),
        edits=(
            (
                Attempts,
                "_abandon_thread",
                "self.alone += attempt.alone",
                "self.alone, attempt.alone = self.alone - attempt.alone, False",
            ),
        ),
    ),
    Omission(
        "uncharged deliveries count as attempts",
        "dead-early",
        "drains",
        edits=((Delivery, "attempt", "self.count - self.uncharged", "self.count"),),
    ),
    Omission(
        "one attempt too few",
        "dead-early",
        "poison",
        edits=((RetryPolicy, "decide", "attempt >= chosen.attempts", "attempt + 1 >= chosen.attempts"),),
    ),
    Omission(
        "a settle that failed is forgotten",
        "ran-after-success",
        plan=Plan(
            "forgotten",
            _short(PlannedMessage("m1")),
            (Fault(0, "lose", "W1/settler", "settle", seconds=0.005),),
        ),
        edits=((Settler, "_send_all", "self._kept_done += batch", "self.unsettled -= len(batch)"),),
    ),
    Omission(
        "an audit makes all strays ready",
        "suspect-forgotten",
        plan=Plan(
            "strays",
            _short(PlannedMessage("m1", seconds=14)),
            (Fault(1, "crash", "W1"), Fault(2, "mute", "W2/settler", "claim", seconds=0.02)),
        ),
        edits=((Audit, "_give_back", 'SUSPECT if count > 1 else ""', '""'),),
    ),
    Omission(
        "a drain does not audit a read that failed",
        "left-behind",
        plan=Plan(
            "regroup/20147",
            Setup((PlannedMessage("m1", delay=6.0),), network="quick"),
            (
                Fault(4, "mute", "W1/reader", "XREADGROUP", seconds=0.02),
                Fault(5.5, "drain", "W1", "XREADGROUP", "executed"),
            ),
        ),
        edits=((Intake, "run", "await self._audit_before_stop()", "pass"),),
    ),
    Omission(
        "a drain leaves the messages of handlers that ignore it",
        "left-behind",
        plan=Plan("ignored", _short(PlannedMessage("m1", "stubborn", 25)), (Fault(1, "drain", "W1"),)),
        edits=((Drain, "_finish", "self._attempts.give_back_all()", "pass"),),
    ),
    Omission(
        "a handler takes no slot",
        "too-many-running",
        "race",
        edits=((Attempts, "_start", "self._slots.running += 1", "pass"),),
    ),
    Omission(
        "a gap does not break the contact",
        "healthy-lost",
        "pauses",
        edits=((Contact, "answered", "max((now - self._last) * 1000, redis_time - self.asof) <= self._gap", "True"),),
    ),
)
