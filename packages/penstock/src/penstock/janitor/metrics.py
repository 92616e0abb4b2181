"""The metrics of a janitor for one pipeline."""

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
    """Metrics of one pipeline."""

    def __init__(self, metrics: Metrics, spec: Pipeline) -> None:
        """Create all metrics that exist from the start."""
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
            label: counter(janitor.RECONCILED, label)
            for label in (
                *("parked_without_due", "due_without_parked", "pending_nowhere"),
                *("finished_elsewhere", "finished_beside"),
                *("delayed_without_due", "due_without_body", "uncharged_without_pending", "consumer_without_lease"),
            )
        }
        self.leads = False
        """Whether this janitor exports measurements; if two did, sums would count them twice."""
        self._leader = gauge(janitor.JANITOR_LEADER)
        self.pass_seconds = metrics.histogram(janitor.JANITOR_PASS_SECONDS)
        self.last_pass = gauge(janitor.JANITOR_LAST_PASS)
        self._failed = {task: counter(janitor.JANITOR_ERRORS, task) for task in TASKS}
        self._trouble = {label: counter(process.REDIS_ERRORS, label) for label in ("absent", "unanswered", "refused")}
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
        """Become leader or standby. A standby forgets its measurements."""
        self.leads = ours
        self._leader.set(ours)
        if not ours:
            self._metrics.forget_measured()

    def watch(self, links: Sequence[Link]) -> None:
        """Follow the connections that serve this pipeline, perhaps among others."""
        self._connections.follow(lambda: sum(link.is_connected for link in links))

    def connected(self, times: int) -> None:
        """Update the number of connections opened so far."""
        self._connects.add(times - self._connected)
        self._connected = times

    def failed(self, task: Task, error: BaseException) -> None:
        """Count a failed task."""
        self._failed[task].add()
        if isinstance(error, RedisTrouble):
            self._trouble[error.kind].add()

    def promoted(self, result: PromoteResult) -> None:
        """Count promoted messages."""
        self._promoted.add(result.promoted)
        self._entered.add(result.entered)
        self._deleted.add(result.lost)

    def taken_over(self, result: TakeoverResult) -> None:
        """Count messages that were taken over."""
        self._taken_over.add(result.suspects)
        self._deleted.add(result.lost)
        self._reconciled["consumer_without_lease"].add(result.adopted)

    def reconciled(self, result: ReconcileResult) -> None:
        """Count repaired differences."""
        for label, count in (
            ("parked_without_due", result.parked_without_due),
            ("due_without_parked", result.due_without_parked),
            ("pending_nowhere", result.brought_back),
            ("finished_elsewhere", result.finished_elsewhere),
            ("finished_beside", result.finished_beside),
            ("delayed_without_due", result.delayed_without_due),
            ("due_without_body", result.due_without_body),
            ("uncharged_without_pending", result.forgotten),
        ):
            self._reconciled[label].add(count)
        self._deleted.add(result.gone)

    def trimmed(self, result: TrimResult) -> None:
        """Count trimmed entries, and export which group holds others back."""
        self._trimmed.add(result.removed)
        if result.more or not self.leads:
            return
        if result.holder:
            self._holders.add(result.holder)
        for holder in self._holders:
            held = result.held if holder == result.holder else 0
            self._metrics.gauge(janitor.TRIM_HELD_BACK, holder).set(held)

    def dead_expired(self, count: int) -> None:
        """Count dead letters that expired."""
        self._dead_expired.add(count)

    def ghosts(self, *, left: int, removed: int = 0, suspects: int = 0, lost: int = 0) -> None:
        """Count foreign consumers whose pod is gone."""
        if self.leads:
            self._ghosts.set(left)
        self._ghosts_removed.add(removed)
        self._taken_over.add(suspects)
        self._deleted.add(lost)

    def vanished(self, count: int) -> None:
        """Count messages that vanished before they were delivered."""
        self._trimmed_unread.add(count)

    def measured(self, measurement: Measurement) -> None:
        """Export a measurement, unless another janitor became leader meanwhile."""
        if not self.leads:
            return
        expiry = measurement.next_expiry
        for metric, value in (
            (stream.STREAM_LENGTH, measurement.length),
            (stream.NEW, measurement.new(until_done=self._keeps_nothing)),
            (stream.LAG, measurement.lag),
            (stream.PENDING, measurement.pending),
            (stream.HELD, measurement.running),
            (stream.PARKED, measurement.parked),
            (stream.READY, measurement.ready),
            (stream.SUSPECT, measurement.suspect),
            (stream.DELAYED, measurement.delayed),
            (stream.DEAD_LETTERS, measurement.dead),
            (stream.GROUPS, measurement.groups),
            (stream.FINISHED, measurement.finished),
            (stream.CUT_OFF, measurement.cut_off),
            (stream.OLDEST_SECONDS, measurement.oldest / 1000),
            (stream.CONSUMERS, measurement.consumers),
            (stream.OLDEST_LEASE_SECONDS, 0 if expiry is None else (self._lease - expiry) / 1000),
            (stream.FOREIGN_CONSUMERS, measurement.foreign),
            (stream.FOREIGN_IDLE_SECONDS, measurement.foreign_idle / 1000),
        ):
            self._metrics.gauge(metric).set(math.nan if value is None else value)
