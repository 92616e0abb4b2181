"""The metrics of a worker. Children are looked up once, so that counting in the hot path is one addition."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.isolation.spawner import Spawner
from penstock.keys import READY, SUSPECT
from penstock.maintenance.promote import PromoteResult
from penstock.maintenance.takeover import TakeoverResult
from penstock.observe.metrics import Metrics
from penstock.wire.errors import RedisTrouble
from penstock.worker.delivery import Buried, Delivery, GivenBack, Parked, Recovered, SettledWith, Step
from penstock_spec.failures.classes import NO_CLASS
from penstock_spec.kinds.pipeline.metrics import maintenance, process, shutdown, working

STEPS = ("settle", "park", "bury", "give_back", "recover")


class WorkerMetrics:
    """The metrics of one worker."""

    def __init__(self, metrics: Metrics) -> None:
        """Create all metrics, so that they exist from the start."""
        self.metrics = metrics
        counter, gauge, histogram = metrics.counter, metrics.gauge, metrics.histogram
        self._delivered = {
            source: counter(working.DELIVERED, label)
            for source, label in (("", "new"), (READY, "ready"), (SUSPECT, "suspect"))
        }
        self.new = self._delivered[""]
        self.redelivered = counter(working.REDELIVERED)
        self.done = counter(working.DONE)
        self.handling = {
            label: histogram(working.HANDLING_SECONDS, label)
            for label in ("done", "failed", "timed_out", "crashed", "cancelled")
        }
        self.waiting = histogram(working.WAITING_SECONDS)
        self.settling = histogram(working.SETTLE_SECONDS)
        self.timeouts = counter(working.TIMEOUTS)
        self.not_buried = counter(working.NOT_BURIED)
        self.abandoned = gauge(working.ABANDONED)
        self.lease_expired = counter(working.LEASE_EXPIRED)
        self.lease_lost = counter(working.LEASE_LOST)
        self.running = gauge(working.RUNNING)
        self.slots = gauge(working.SLOTS)
        self.slots_free = gauge(working.SLOTS_FREE)
        self.unsettled = gauge(working.UNSETTLED)
        self.refused = gauge(working.REFUSED)
        self.at_pending_limit = gauge(working.PENDING_LIMIT_REACHED)
        self._children = gauge(working.CHILDREN)
        self._children_started = counter(working.CHILDREN_STARTED)
        self.children_crashed = counter(working.CHILDREN_CRASHED)
        self.draining = gauge(shutdown.DRAINING)
        self.drain_seconds = gauge(shutdown.DRAIN_SECONDS)
        self.drain_phases = {label: gauge(shutdown.DRAIN_PHASE_SECONDS, label) for label in ("stop", "finish", "close")}
        self._fenced = {step: counter(working.FENCED, step) for step in STEPS}
        self._gone = {step: counter(working.GONE, step) for step in STEPS}
        self.connections = gauge(process.REDIS_CONNECTIONS)
        self._connects = counter(process.REDIS_CONNECTS)
        self._connected = 0
        self._errors = {label: counter(process.REDIS_ERRORS, label) for label in ("absent", "unanswered", "refused")}
        self._promoted = {label: counter(maintenance.PROMOTED, label) for label in ("parked", "delayed")}
        self._taken_over = counter(maintenance.TAKEN_OVER)
        self._deleted = counter(maintenance.LOST, "deleted")
        self.group_recreated = counter(maintenance.GROUP_RECREATED)

    def delivered(self, source: str) -> None:
        """Count a delivery by the state from which it was claimed."""
        self._delivered[source].add()

    def took(self, steps: Sequence[Step | Delivery]) -> None:
        """Count steps of one kind that Redis accepted."""
        first = steps[0]
        if isinstance(first, Delivery | SettledWith):
            self.done.add(len(steps))
            return
        for step in steps:
            match step:
                case Parked():
                    self.metrics.counter(working.RETRIED, step.class_ or NO_CLASS).add()
                case Buried():
                    self.metrics.counter(working.DEAD, step.reason).add()
                case GivenBack():
                    self.metrics.counter(working.GIVEN_BACK, step.why).add()
                case Recovered():
                    self.metrics.counter(working.GIVEN_BACK, "recovered").add()
                case Delivery() | SettledWith():  # all steps are of one kind
                    raise AssertionError(step)

    @property
    def cut_off(self) -> int:
        """The number of messages that the drain gave back while they ran."""
        return int(self.metrics.counter(working.GIVEN_BACK, "drained").value)

    def fenced(self, step: str, count: int) -> None:
        """Count steps for messages that already belonged to other consumers."""
        self._fenced[_step(step)].add(count)

    def gone(self, step: str, count: int) -> None:
        """Count steps for messages that were no longer pending."""
        self._gone[_step(step)].add(count)

    def sample(self, connects: int, spawner: Spawner) -> None:
        """Copy counts that are kept elsewhere: connections and children."""
        self._connects.add(connects - self._connected)  # a handler's own producer may count there too
        self._connected = connects
        self._children_started.add(spawner.started - self._children_started.value)
        self._children.set(spawner.children)

    def trouble(self, error: RedisTrouble) -> None:
        """Count an error of Redis."""
        self._errors[error.kind].add()

    def promoted(self, result: PromoteResult) -> None:
        """Count promoted messages."""
        self._promoted["parked"].add(result.promoted)
        self._promoted["delayed"].add(result.entered)
        self._deleted.add(result.lost)

    def taken_over(self, result: TakeoverResult) -> None:
        """Count messages that were taken over."""
        self._taken_over.add(result.suspects)
        self._deleted.add(result.lost)

    def deleted(self, entries: int) -> None:
        """Count entries that were deleted from the stream while they were pending."""
        self._deleted.add(entries)


def _step(step: str) -> str:
    return "settle" if step == "settle_with" else step
