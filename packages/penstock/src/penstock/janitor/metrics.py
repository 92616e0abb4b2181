"""What the janitor did and saw, as metrics of one pipeline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from penstock.janitor.reconcile import ReconcileResult
from penstock.janitor.trim import TrimResult
from penstock.maintenance.measure import Measurement
from penstock.maintenance.promote import PromoteResult
from penstock.maintenance.takeover import TakeoverResult
from penstock.observe.metrics import Metrics
from penstock.wire.errors import RedisTrouble
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline import Pipeline
from penstock_spec.kinds.pipeline.metrics import janitor, maintenance, process, stream

Task = Literal["lead", "promote", "take_over", "reconcile", "trim", "ghosts", "measure", "protect"]
TASKS: tuple[Task, ...] = ("lead", "promote", "take_over", "reconcile", "trim", "ghosts", "measure", "protect")


class JanitorMetrics:
    """Counts for one pipeline."""

    def __init__(self, metrics: Metrics, spec: Pipeline) -> None:
        """Everything that is there from the start."""
        counter, gauge = metrics.counter, metrics.gauge
        self._metrics = metrics
        self._lease = spec.work.lease.amount
        self._keeps_nothing = spec.stream.retention.keeps_nothing
        self._promoted = counter(maintenance.PROMOTED, "parked")
        self._entered = counter(maintenance.PROMOTED, "delayed")
        self._taken_over = counter(maintenance.TAKEN_OVER)
        self._deleted = counter(maintenance.LOST, "deleted")
        self._trimmed_unread = counter(maintenance.LOST, "trimmed")
        self.group_recreated = counter(maintenance.GROUP_RECREATED)
        self._reconciled = {
            word: counter(janitor.RECONCILED, word)
            for word in (
                *("parked_without_due", "due_without_parked", "pending_nowhere"),
                *("finished_elsewhere", "finished_beside"),
                *("delayed_without_due", "due_without_body", "uncharged_without_pending", "consumer_without_lease"),
            )
        }
        self.leads = False
        """Whether what was measured is ours to tell: two who tell would be counted twice."""
        self._leader = gauge(janitor.JANITOR_LEADER)
        self.pass_seconds = metrics.histogram(janitor.JANITOR_PASS_SECONDS)
        self.last_pass = gauge(janitor.JANITOR_LAST_PASS)
        self._failed = {task: counter(janitor.JANITOR_ERRORS, task) for task in TASKS}
        self._trouble = {word: counter(process.REDIS_ERRORS, word) for word in ("absent", "unanswered", "refused")}
        self.answered = metrics.histogram(process.REDIS_SECONDS).observe
        self._connections = gauge(process.REDIS_CONNECTIONS)
        self._connects = counter(process.REDIS_CONNECTS)
        self._connected = 0
        self._ghosts = gauge(janitor.GHOSTS)
        self._ghosts_removed = counter(janitor.GHOSTS_REMOVED)
        self._trimmed = counter(janitor.TRIMMED)
        self._dead_expired = counter(janitor.DEAD_EXPIRED)
        self._holders = {spec.stream.group}

    def lead(self, *, ours: bool) -> None:
        """From now on it is ours to tell, or another's; what was measured before is not known any more then."""
        self.leads = ours
        self._leader.set(ours)
        if not ours:
            self._metrics.forget_measured()

    def watch(self, links: Sequence[Link]) -> None:
        """The connections that serve this pipeline, and perhaps others too."""
        self._connections.follow(lambda: sum(link.is_connected for link in links))

    def connected(self, times: int) -> None:
        """So many connections there have been by now."""
        self._connects.add(times - self._connected)
        self._connected = times

    def failed(self, task: Task, error: BaseException) -> None:
        """A task of a pass did not come to its end."""
        self._failed[task].add()
        if isinstance(error, RedisTrouble):
            self._trouble[error.kind].add()

    def promoted(self, result: PromoteResult) -> None:
        """What was due."""
        self._promoted.add(result.promoted)
        self._entered.add(result.entered)
        self._deleted.add(result.lost)

    def taken_over(self, result: TakeoverResult) -> None:
        """What was taken over."""
        self._taken_over.add(result.suspects)
        self._deleted.add(result.lost)
        self._reconciled["consumer_without_lease"].add(result.adopted)

    def reconciled(self, one: ReconcileResult) -> None:
        """What was put right."""
        for word, count in (
            ("parked_without_due", one.parked_without_due),
            ("due_without_parked", one.due_without_parked),
            ("pending_nowhere", one.brought_back),
            ("finished_elsewhere", one.finished_elsewhere),
            ("finished_beside", one.finished_beside),
            ("delayed_without_due", one.delayed_without_due),
            ("due_without_body", one.due_without_body),
            ("uncharged_without_pending", one.forgotten),
        ):
            self._reconciled[word].add(count)
        self._deleted.add(one.gone)

    def trimmed(self, one: TrimResult) -> None:
        """History that went, and who holds it back."""
        self._trimmed.add(one.removed)
        if one.more or not self.leads:
            return
        if one.holder:
            self._holders.add(one.holder)
        for holder in self._holders:
            held = one.held if holder == one.holder else 0
            self._metrics.gauge(janitor.TRIM_HELD_BACK, holder).set(held)

    def dead_expired(self, count: int) -> None:
        """Dead letters that were too old."""
        self._dead_expired.add(count)

    def ghosts(self, *, left: int, removed: int = 0, suspects: int = 0, lost: int = 0) -> None:
        """Consumers of another make whose pod is gone."""
        if self.leads:
            self._ghosts.set(left)
        self._ghosts_removed.add(removed)
        self._taken_over.add(suspects)
        self._deleted.add(lost)

    def vanished(self, count: int) -> None:
        """Messages that were gone before anybody was given them."""
        self._trimmed_unread.add(count)

    def measured(self, one: Measurement) -> None:
        """What there is now. It was asked for while this janitor led, and may come when another does."""
        if not self.leads:
            return
        for metric, value in (
            (stream.STREAM_LENGTH, one.length),
            (stream.NEW, one.new(until_done=self._keeps_nothing)),
            (stream.LAG, one.lag),
            (stream.PENDING, one.pending),
            (stream.HELD, one.running),
            (stream.PARKED, one.parked),
            (stream.READY, one.ready),
            (stream.SUSPECT, one.suspect),
            (stream.DELAYED, one.delayed),
            (stream.DEAD_LETTERS, one.dead),
            (stream.CUT_OFF, one.cut_off),
            (stream.OLDEST_SECONDS, one.oldest / 1000),
            (stream.CONSUMERS, one.consumers),
            (stream.OLDEST_LEASE_SECONDS, 0 if one.next_expiry is None else (self._lease - one.next_expiry) / 1000),
            (stream.FOREIGN_CONSUMERS, one.foreign),
            (stream.FOREIGN_IDLE_SECONDS, one.foreign_idle / 1000),
        ):
            self._metrics.gauge(metric).set(math.nan if value is None else value)
