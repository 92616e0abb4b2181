"""The metrics of a scheduler's pod."""

from __future__ import annotations

from penstock.observe.metrics import Metrics
from penstock.observe.values import Counter
from penstock.scheduler.breaker import BatchBreaker
from penstock.wire.errors import RedisTrouble
from penstock_spec.kinds.scheduler.metrics import cleanup, process, running, settling, state, taking

OUTCOMES = ("ok", "failed", "cancelled", "abandoned", "lost")
SIGNALS = ("capacity_skew", "zero_progress", "redis_stall")
FILTERED = ("shard", "pattern", "unknown", "running", "limit", "suspect")
PASSES = ("refresh", "zombies", "orphans")


class SchedulerMetrics:
    """Metrics of one pod."""

    def __init__(self, metrics: Metrics) -> None:
        """Create all metrics that exist from the start."""
        self._metrics = metrics
        self._runs: dict[tuple[str, str], Counter] = {}
        """Looked up once for each outcome and class."""
        counter, gauge, histogram = metrics.counter, metrics.gauge, metrics.histogram
        self.lease_lost = counter(process.LEASE_LOST)
        self.draining = gauge(process.DRAINING)
        self.connections = gauge(process.REDIS_CONNECTIONS)
        self.connects = counter(process.REDIS_CONNECTS)
        self.waiting = gauge(state.WAITING)
        self.working = gauge(state.WORKING)
        self.paused = gauge(state.PAUSED)
        self.given_up = gauge(state.GIVEN_UP)
        self.oldest_overdue = gauge(state.OLDEST_OVERDUE_SECONDS)
        self.ready = gauge(state.READY)
        self.registered = gauge(state.REGISTERED)
        self.mean_interval = gauge(state.MEAN_INTERVAL_SECONDS)
        self.degraded = gauge(state.DEGRADED)
        self.signals = {label: gauge(state.WATCHDOG, label) for label in SIGNALS}
        self.permits = gauge(taking.PERMITS)
        self.permits_free = gauge(taking.PERMITS_FREE)
        self.capacity = gauge(taking.CAPACITY_PER_CYCLE)
        self.cycle = histogram(taking.CYCLE_SECONDS)
        self.acquired = counter(taking.ACQUIRED)
        self.filtered = {label: counter(taking.FILTERED, label) for label in FILTERED}
        self.submission_failures = counter(taking.SUBMISSION_FAILURES)
        self.lateness = histogram(taking.LATENESS_SECONDS)
        self.running = gauge(running.RUNNING)
        self.run_seconds = {label: histogram(running.RUN_SECONDS, label) for label in OUTCOMES}
        self.missed = {label: counter(running.MISSED, label) for label in ("made_up", "skipped")}
        self.overlaps = {label: counter(running.OVERLAPS, label) for label in ("skipped", "waited", "replaced")}
        self.zombies = {label: counter(running.ZOMBIES_CANCELLED, label) for label in ("timer", "scan")}
        self.abandoned = counter(running.ABANDONED)
        self.abandoned_running = gauge(running.ABANDONED_RUNNING)
        self.settling = histogram(settling.SETTLE_SECONDS)
        self.fenced = {step: counter(settling.FENCED, step) for step in ("complete", "release")}
        self.gone = {step: counter(settling.GONE, step) for step in ("complete", "release")}
        self.recovering = gauge(settling.RECOVERING)
        self.recoveries = {label: counter(settling.RECOVERIES, label) for label in ("true", "false")}
        self.exhausted = counter(settling.RETRIES_EXHAUSTED)
        self.leader = gauge(cleanup.LEADER)
        self.passes = {label: histogram(cleanup.PASS_SECONDS, label) for label in PASSES}
        self.cut_off = {label: counter(cleanup.PASSES_CUT_OFF, label) for label in PASSES}
        self.pass_errors = {label: counter(cleanup.PASS_ERRORS, label) for label in PASSES}
        self.reconciled = {label: counter(cleanup.RECONCILED, label) for label in ("registered", "unregistered")}
        self.orphans_returned = counter(cleanup.ORPHANS_RETURNED)
        self.orphans_removed = {label: counter(cleanup.ORPHANS_REMOVED, label) for label in ("unknown", "numeric")}

    def trouble(self, error: RedisTrouble) -> None:
        """Count a failed call to Redis."""
        self._metrics.counter(process.REDIS_ERRORS, error.kind).add()

    def refused(self, script: str) -> None:
        """Count a script that ended in an error."""
        self._metrics.counter(process.SCRIPT_ERRORS, script).add()

    def ended(self, outcome: str, class_: str, seconds: float) -> None:
        """Count an ended run."""
        runs = self._runs.get((outcome, class_))
        if runs is None:
            runs = self._runs[outcome, class_] = self._metrics.counter(running.RUNS, outcome, class_)
        runs.add()
        self.run_seconds[outcome].observe(seconds)

    def breaker(self, name: str, breaker: BatchBreaker, now: float) -> None:
        """Export the state and the counts of a breaker."""
        self._metrics.gauge(settling.BREAKER_STATE, name).set(breaker.state(now))
        for metric, value in (
            (settling.BREAKER_TRIPS, breaker.trips),
            (settling.BREAKER_BLOCKED, breaker.blocked),
            (settling.BREAKER_RECOVERIES, breaker.recoveries),
        ):
            counter = self._metrics.counter(metric, name)
            counter.add(value - counter.value)
