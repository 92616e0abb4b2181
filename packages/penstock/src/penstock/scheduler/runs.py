"""Runs jobs: starts them, cancels them after their timeout, abandons those that ignore that, and hands them back.

An abandoned run returns its permit, but keeps its job until it ends or its pod does: no second run starts beside it.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from random import Random

from penstock.clocks import Clocks
from penstock.handling.calling import NoThread, ThreadStillRunning
from penstock.handling.failures import Failure
from penstock.observe.events import Event
from penstock.observe.failures import Failure as ForLog
from penstock.observe.failures import failure
from penstock.observe.subject import SUBJECT
from penstock.scheduler.context import LOGGER, JobContext, StopReason
from penstock.scheduler.due_times import FailurePolicy, RunPlan, after_run
from penstock.scheduler.history import PastRun
from penstock.scheduler.isolated import FailedInChild
from penstock.scheduler.job_runner import JobRunner
from penstock.scheduler.job_steps import MOST, AcquiredJob, EndedRun, JobSteps
from penstock.scheduler.metrics import SchedulerMetrics
from penstock.scheduler.permits import Permit
from penstock.scheduler.redis_time import RedisTime
from penstock.scheduler.run_record import LOST, REPLACED, STOPPED, UNJUDGED, RunRecord
from penstock.scheduler.settler import RunSettler
from penstock_spec.failures.classes import NO_CLASS
from penstock_spec.kinds.scheduler.effective import EffectiveJob
from penstock_spec.kinds.scheduler.spec import Scheduler

KILLING_TAKES = 10.0
"""Seconds that a cancelled run in a child process has beyond `abandon_after`, when its process is killed."""


@dataclass(slots=True, eq=False)
class JobRun:
    """A running job."""

    acquired: AcquiredJob
    job: EffectiveJob
    plan: RunPlan
    permit: Permit
    context: JobContext
    started: float
    """In monotonic time, as all times here."""
    overdue_at: float
    task: asyncio.Task[BaseException | None] | None = None
    timer: asyncio.TimerHandle | None = None
    replacing: asyncio.TimerHandle | None = None
    """Cancels the run when its job is due again, if the next run replaces it."""
    abandoned: bool = False
    left: bool = False
    """Whether it is handed back although it still runs, because its pod ends."""
    kept: bool = False
    """Whether Redis knows that it goes on after its deadline, so that no other pod takes its job."""


class JobRuns:
    """All runs of one pod."""

    def __init__(  # noqa: PLR0913, PLR0917 - its collaborators, each of another type
        self,
        spec: Scheduler,
        job_runner: JobRunner,
        settler: RunSettler,
        redis_time: RedisTime,
        metrics: SchedulerMetrics,
        rng: Random,
        clocks: Clocks,
    ) -> None:
        """Nothing runs yet."""
        self._zombies = spec.cleanup.zombies
        self._killing_takes = KILLING_TAKES if spec.work.isolation == "process" else 0.0
        self._debugs = LOGGER.isEnabledFor(logging.DEBUG)
        self._keeps_history = spec.history.keep > 0
        self._drain_spread = spec.jitter.shutdown.seconds
        self._failures = FailurePolicy(spec)
        self._pause_after = spec.failures.pause_after or math.inf
        self._job_runner = job_runner
        self._settler = settler
        self._redis_time = redis_time
        self._metrics = metrics
        self._rng = rng
        self._monotonic = clocks.monotonic
        self._running: set[JobRun] = set()
        self._abandoned: set[JobRun] = set()
        self._by_name: dict[str, JobRun] = {}
        self._gone_at = math.inf
        """When this pod will have ended, in Redis time; finite once the pod drains."""
        self.changed = asyncio.Event()

    def __len__(self) -> int:
        return len(self._running)

    @property
    def held(self) -> set[tuple[str, int]]:
        """The running jobs, each with its score in the working set: another score is another run."""
        runs = (*self._running, *(run for run in self._abandoned if not run.left))
        return {(run.acquired.name, run.acquired.score) for run in runs}

    def runs_job(self, name: str) -> bool:
        """Whether a run of this job has not ended here, also one whose job was lost to others."""
        return name in self._by_name

    def runs_suspect(self) -> bool:
        """Whether a job runs here that may crash its pods."""
        return any(run.acquired.is_suspect for run in self._by_name.values())

    @property
    def left_behind(self) -> int:
        """Abandoned handlers that still run."""
        return len(self._abandoned)

    def start(self, acquired: AcquiredJob, job: EffectiveJob, plan: RunPlan, permit: Permit, consumer: str) -> None:
        """Start a run of an acquired job."""
        loop, previous = asyncio.get_running_loop(), acquired.last_run
        repeats = previous is not None and (previous.streak > 0 or acquired.begun)
        context = JobContext(
            acquired,
            previous.due if repeats and previous is not None else acquired.due,
            1 + _streak(acquired),
            self._redis_time.to_monotonic(acquired.deadline),
            consumer,
            self._monotonic,
        )
        run = JobRun(
            acquired,
            job,
            plan,
            permit,
            context,
            self._monotonic(),
            self._redis_time.to_monotonic(acquired.deadline) + job.threshold.seconds,
        )
        self._running.add(run)
        if self._debugs:
            context.log.event(Event.JOB_STARTED, due=context.due)
        self._by_name[acquired.name] = run
        self._metrics.running.set(len(self._running))
        run.task = loop.create_task(self._run(run))
        run.task.add_done_callback(partial(self._task_done, run))
        if self._zombies.enabled:
            run.timer = loop.call_later(max(0.0, run.overdue_at - self._monotonic()), self._overdue, run, "timer")
        if job.overlap == "replace" and plan.next > acquired.acquired:
            left = self._redis_time.to_monotonic(plan.next) - self._monotonic()
            run.replacing = loop.call_later(max(0.0, left), self._replace, run)

    def cancel_all(self, why: StopReason) -> None:
        """Cancel all runs."""
        for run in tuple(self._running):
            self._cancel(run, why)

    def replace(self, names: Collection[str]) -> None:
        """Cancel the runs of these jobs that a next run replaces."""
        for name in names:
            run = self._by_name.get(name)
            if run is not None and run.job.overlap == "replace":
                self._replace(run)

    def scan(self) -> bool:
        """Cancel runs that exceeded their timeout; False if the time budget ran out."""
        started, budget = self._monotonic(), self._zombies.budget.seconds
        for run in tuple(self._running):
            if budget and self._monotonic() - started > budget:
                self._metrics.cut_off["zombies"].add()
                return False
            if self._monotonic() >= run.overdue_at:
                self._overdue(run, "scan")
        return True

    async def keep_overdue(self, steps: JobSteps) -> None:
        """Tell Redis which runs go on after their deadline. Raises RedisTrouble; the next call tells the rest."""
        now = self._redis_time.now()
        overdue = [run for run in self._by_name.values() if not run.kept and run.acquired.deadline <= now]
        for at in range(0, len(overdue), MOST):
            page = overdue[at : at + MOST]
            await steps.keep([run.acquired for run in page])
            for run in page:
                run.kept = True

    def leave_behind(self, gone_in: float) -> int:
        """Hand back the jobs of runs that ignore the drain, due when the pod has ended; return their number."""
        self._gone_at = self._redis_time.now() + gone_in
        for run in tuple(self._running):
            self._abandon(run)
        for run in self._abandoned:
            run.left = True
            self._end(run, asyncio.CancelledError())
        return len(self._abandoned)

    async def _run(self, run: JobRun) -> BaseException | None:
        """The exception that ended the run; None after success."""
        SUBJECT.set(run.context)
        try:
            await self._job_runner.run(run.job, run.context)
        except ThreadStillRunning as thread:
            while not thread.future.done():  # the context asks it to stop; nothing can force a thread
                await asyncio.wait([thread.future])
            return thread.future.exception()
        except BaseException as error:  # noqa: BLE001 - any exception ends this run and nothing else
            return error
        return None

    def _overdue(self, run: JobRun, by: str) -> None:
        if run.context.why is not None or run not in self._running:
            return
        self._metrics.zombies[by].add()
        seconds = round(self._monotonic() - run.started, 1)
        run.context.log.event(Event.JOB_OVERRAN, seconds=seconds, by=by)
        self._cancel(run, "overdue")

    def _replace(self, run: JobRun) -> None:
        if run in self._running and run.context.why is None:
            self._metrics.overlaps["replaced"].add()
            self._cancel(run, "replaced")

    def _cancel(self, run: JobRun, why: StopReason) -> None:
        if run.context.why is None and run.task is not None:
            run.context.why = why
            run.task.cancel()
            after = self._zombies.abandon_after.seconds + self._killing_takes
            if run.timer is not None:
                run.timer.cancel()
            if why != "drain":  # a drain has its own limits
                run.timer = asyncio.get_running_loop().call_later(after, self._abandon, run)

    def _abandon(self, run: JobRun) -> None:
        if run not in self._running:
            return
        run.abandoned = True
        self._running.discard(run)
        self._abandoned.add(run)
        self._metrics.abandoned.add()
        self._metrics.abandoned_running.set(len(self._abandoned))
        run.context.log.event(Event.JOB_ABANDONED)
        self._free(run)

    def _task_done(self, run: JobRun, task: asyncio.Task[BaseException | None]) -> None:
        error = asyncio.CancelledError() if task.cancelled() else task.exception() or task.result()
        if self._by_name.get(run.acquired.name) is run:
            del self._by_name[run.acquired.name]
        if run.abandoned:
            self._abandoned.discard(run)
            self._metrics.abandoned_running.set(len(self._abandoned))
        if run.left:
            self.changed.set()
        else:
            self._end(run, error)

    def _free(self, run: JobRun) -> None:
        """Return the permit of a run."""
        for timer in (run.timer, run.replacing):
            if timer is not None:
                timer.cancel()
        run.permit.give_back()
        self._metrics.running.set(len(self._running))
        self.changed.set()

    def _end(self, run: JobRun, error: BaseException | None) -> None:
        """Return the permit of a run, and hand back its job."""
        self._running.discard(run)
        self._free(run)
        reason, seconds = run.context.why, self._monotonic() - run.started
        if isinstance(error, NoThread):
            self._metrics.submission_failures.add()
            run.context.log.event(Event.JOB_NOT_STARTED, error)
            self._release(run, run.acquired.due)
        elif error is None and not run.abandoned:
            self._metrics.ended("lost" if reason == "lost" else "ok", NO_CLASS, seconds)
            self._complete(run, "ok", "", 0, self._next(run))
        elif reason == "replaced" and not run.abandoned:
            self._metrics.ended("cancelled", NO_CLASS, seconds)
            self._complete(run, REPLACED, "", _streak(run.acquired), math.ceil(self._redis_time.now()))
        elif reason in ("drain", "lost"):
            outcome = "lost" if reason == "lost" else "abandoned" if run.abandoned else "cancelled"
            self._metrics.ended(outcome, NO_CLASS, seconds)
            spread = reason == "drain" and self._drain_spread > 0
            due = (
                math.ceil(self._redis_time.now() + self._drain_spread * self._rng.random())
                if spread
                else run.acquired.due
            )
            self._complete(run, LOST if reason == "lost" else STOPPED, "", _streak(run.acquired), due)
        else:
            self._failed(run, error, seconds)

    def _failed(self, run: JobRun, error: BaseException | None, seconds: float) -> None:
        outcome = "abandoned" if run.abandoned else "failed" if run.context.why is None else "cancelled"
        described = error.failure if isinstance(error, FailedInChild) else Failure.of(error or asyncio.CancelledError())
        class_ = self._failures.class_of(described) if outcome == "failed" else NO_CLASS
        streak = 1 + _streak(run.acquired)
        due = self._failures.next(run.job, self._next(run), described, streak, self._redis_time.now(), self._rng)
        self._metrics.ended(outcome, class_, seconds)
        if outcome == "failed" and error is not None:
            of = _described(error)
            run.context.log.event(
                Event.JOB_FAILED, error=of.error, at=of.at, failure_class=class_, in_a_row=streak, next_due=due
            )
        self._complete(run, outcome, class_, streak, due, error if outcome == "failed" else None)

    def _next(self, run: JobRun) -> int:
        """When the job is due by its schedule."""
        overlap = after_run(run.job, run.acquired.acquired, run.plan.next, self._redis_time.now())
        if overlap.runs and run.context.why != "replaced":
            self._metrics.overlaps["skipped" if run.job.overlap == "skip" else "waited"].add(overlap.runs)
        return overlap.next

    def _complete(  # noqa: PLR0913, PLR0917 - what the record says
        self, run: JobRun, outcome: str, class_: str, streak: int, due: int, error: BaseException | None = None
    ) -> None:
        acquired, context = run.acquired, run.context
        if run.left:  # it still runs
            due = max(due, math.ceil(self._gone_at))
        record = RunRecord(
            context.due,
            acquired.acquired,
            self._redis_time.now(),
            outcome,
            class_,
            streak,
            due,
            acquired.fence,
            context.consumer,
            acquired.last_run.lost if acquired.last_run is not None and outcome in UNJUDGED else 0,
        )
        if self._debugs:
            seconds = round(self._monotonic() - run.started, 3)
            context.log.event(Event.JOB_ENDED, outcome=outcome, seconds=seconds, next_due=due)
        failures = streak if streak >= self._pause_after and outcome not in UNJUDGED else 0
        past = self._past(run, record, error)
        self._settler.put(EndedRun(acquired.name, acquired.score, due, record.write(), failures, past))

    def _past(self, run: JobRun, record: RunRecord, error: BaseException | None) -> bytes:
        if not self._keeps_history:
            return b""
        of = _described(error) if error is not None else None
        return PastRun(
            record.ended,
            record.due,
            record.acquired,
            record.outcome,
            run.context.attempt,
            record.class_,
            of.error if of else "",
            of.at if of else "",
            record.consumer,
        ).write()

    def _release(self, run: JobRun, due: int) -> None:
        self._settler.put(EndedRun(run.acquired.name, run.acquired.score, due, None))


def _described(error: BaseException) -> ForLog:
    """The type and the place of an exception, also of one in a child process."""
    if isinstance(error, FailedInChild):
        return ForLog(error.failure.type, error.failure.at)
    return failure(error)


def _streak(acquired: AcquiredJob) -> int:
    """Failures in a row before this run."""
    return acquired.last_run.streak if acquired.last_run is not None else 0
