"""When a job is due again. Pure: Redis time, failures and randomness are passed in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from penstock.handling.backoff import growing, jittered
from penstock.handling.failures import Failure, FailureMatcher
from penstock_spec.failures.classes import NO_CLASS
from penstock_spec.kinds.scheduler.cron import latest, next_after
from penstock_spec.kinds.scheduler.effective import EffectiveJob
from penstock_spec.kinds.scheduler.failures import FailureClass
from penstock_spec.kinds.scheduler.spec import Scheduler

MINUTE = 60
DAY = 86_400
NEVER = 366 * DAY
"""Seconds until the next check of a job whose cron expression never matches; a rule reports such expressions."""
LATE = 60.0
"""Seconds after which a run of a cron job counts as missed rather than late: cron is precise to a minute."""
COUNTED = 100
"""The most missed runs that are counted; after a longer pause there may have been more."""
LONGEST = DAY * 1000
"""Milliseconds; the longest wait of a failure class without a limit."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """Whether to run an acquired job, and when it is due next."""

    runs: bool
    """Whether it runs now; if not, it waits until `next`."""
    next: int
    """When it is due after this run, if the run succeeds."""
    made_up: int = 0
    skipped: int = 0
    """Missed runs that are made up for, and missed runs that are skipped."""


def first_due(job: EffectiveJob, now: float, jitter: float, rng: Random) -> int:
    """When a new job is due."""
    if job.cron is not None:
        return cron_after(job.cron, job.time_zone, now)
    return math.ceil(now + jitter * rng.random())


def latest_due(job: EffectiveJob, now: float) -> int:
    """The latest time at which a job is due by its schedule, whatever it was before."""
    return cron_after(job.cron, job.time_zone, now) if job.cron is not None else math.ceil(int(now) + interval(job))


def plan_run(job: EffectiveJob, due: int, acquired: float, *, begun: bool = False) -> RunPlan:
    """Plan the run of an acquired job. An interval counts from the second of the acquisition.

    A run that has `begun` but did not finish, because its pod drained or was lost, was not missed.
    """
    if job.cron is None:
        return RunPlan(runs=True, next=math.ceil(int(acquired) + interval(job)))
    usual = cron_after(job.cron, job.time_zone, acquired)
    if acquired - due <= LATE:
        return RunPlan(runs=True, next=usual)
    most = max(COUNTED, job.missed.at_most) if job.missed.run == "all" else COUNTED
    later, made_up = _missed(job.cron, job.time_zone, due, int(acquired // MINUTE), most), int(not begun)
    match job.missed.run:
        case "skip":
            # The last of them may be due now: then it was not missed, but is next.
            usual, later = (later[-1], later[:-1]) if later and acquired - later[-1] <= LATE else (usual, later)
            return RunPlan(runs=begun, next=usual, skipped=made_up + len(later))
        case "once":
            return RunPlan(runs=True, next=usual, made_up=made_up, skipped=len(later))
        case "all":
            kept = (due, *later)[-job.missed.at_most :]
            following = kept[1] if len(kept) > 1 else usual
            return RunPlan(runs=True, next=following, made_up=made_up, skipped=1 + len(later) - len(kept))


@dataclass(frozen=True, slots=True)
class Overlap:
    """What a run that outlasts the next due time of its job means for that time."""

    next: int
    runs: int = 0
    """Due times that came while the run went on."""


def after_run(job: EffectiveJob, acquired: float, planned: int, ended: float) -> Overlap:
    """When a job is due after a run for which it was planned, by its `overlap`.

    A planned time before the run began is a missed run that is made up for later.
    """
    if not acquired < planned <= ended:
        return Overlap(planned)
    if job.overlap != "skip":
        # Late by the previous run, a run of a cron job is not missed.
        late = job.cron is not None and ended - planned > LATE and job.missed.run != "all"
        return Overlap(math.ceil(ended) if late else planned, 1)
    if job.cron is None:
        every = interval(job)
        dropped = int((ended - planned) // every) + 1
        return Overlap(math.ceil(planned + dropped * every), dropped)
    later = _missed(job.cron, job.time_zone, planned, int(ended // MINUTE), COUNTED)
    return Overlap(cron_after(job.cron, job.time_zone, ended), 1 + len(later))


def interval(job: EffectiveJob) -> float:
    """Seconds between two runs. For a cron job, even a weekly one, it is the minute in which it should start."""
    return job.every.seconds if job.every is not None else float(LATE)


def cron_after(cron: str, zone: str, now: float) -> int:
    """The next time of a cron expression. It only changes every minute, so it is cached by minute."""
    minute = int(now // MINUTE) * MINUTE
    next_time = _next(cron, zone, minute)
    return minute + NEVER if next_time is None else next_time


@lru_cache(maxsize=10_000)
def _next(cron: str, zone: str, minute: int) -> int | None:
    return next_after(cron, zone, minute)


@lru_cache(maxsize=10_000)
def _missed(cron: str, zone: str, due: int, minute: int, most: int) -> tuple[int, ...]:
    """The missed runs. Jobs with the same expression have missed the same runs, so the result is cached."""
    return latest(cron, zone, due, minute * MINUTE, most)


class FailurePolicy:
    """Decides by the spec when a job is due after a failed run."""

    def __init__(self, spec: Scheduler) -> None:
        """If several classes match a failure, the first counts."""
        self._by_class = spec.failures.by_class
        self._jitter = float(spec.jitter.failure)
        self._classes = [(name, one, FailureMatcher.of(one.match)) for name, one in spec.failures.classes.items()]

    def class_of(self, failure: Failure) -> str:
        """The failure class, even if no setting of the spec depends on it."""
        return next((name for name, _, match in self._classes if match.matches(failure)), NO_CLASS)

    def next(self, job: EffectiveJob, planned: int, failure: Failure, streak: int, ended: float, rng: Random) -> int:  # noqa: PLR0913, PLR0917 - everything that the time depends on
        """When the job is due after a failure; `streak` is the number of failures in a row."""
        wait, limit = self._wait(job, failure, streak)
        if wait is None:
            return max(planned, math.ceil(ended)) if job.cron is None else planned
        # A due time is a full second: rounded up, the wait could exceed its limit.
        spread = math.ceil(ended + max(0.0, jittered(wait, self._jitter, rng)))
        return spread if limit is None else max(math.ceil(ended), min(spread, math.floor(ended + limit)))

    def _wait(self, job: EffectiveJob, failure: Failure, streak: int) -> tuple[float | None, float | None]:
        """The wait without jitter, and the limit of the wait with jitter; both in seconds."""
        if failure.wait_ms is not None:
            return failure.wait_ms / 1000, None
        matching: FailureClass | None = None
        if self._by_class:
            matching = next((candidate for _, candidate, match in self._classes if match.matches(failure)), None)
        if matching is not None:
            if streak <= matching.immediate:
                return 0.0, None
            if (backoff := matching.backoff) is not None:
                limit = LONGEST if backoff.limit is None else backoff.limit.amount
                wait = growing(backoff.first.amount, float(backoff.factor), limit, streak - matching.immediate) / 1000
                return wait, None if backoff.limit is None else limit / 1000
        return None if job.error_interval is None else job.error_interval.seconds, None
