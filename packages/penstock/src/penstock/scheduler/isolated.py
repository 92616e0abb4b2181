"""Runs the handlers of jobs in child processes, whose crash fails one run only."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from penstock.handling.calling import NoThread
from penstock.handling.failures import Failure
from penstock.isolation.errors import HandlerImportError, IsolationError
from penstock.isolation.pool import ChildPool
from penstock.isolation.runs import CancelReason, Crashed, Killed, Returned, RunRequest, describe_exit
from penstock.observe.events import Event
from penstock.scheduler.context import JobContext, StopReason
from penstock.scheduler.in_child import jobs
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.scheduler.effective import EffectiveJob
from penstock_spec.kinds.scheduler.spec import Scheduler

CRASHED = "JobCrashed"
"""The type of the failure, which a failure class may match."""
SHARE = 0.8
"""Of the time that a drain gives cancelled runs: what a process has before it is killed."""
REASONS: Mapping[StopReason, CancelReason] = {
    "overdue": "timeout", "replaced": "timeout", "lost": "lost", "drain": "drain",
}  # fmt: skip


class FailedInChild(Exception):  # noqa: N818 - it carries a failure
    """A run failed in a child process, or its process crashed."""

    def __init__(self, failure: Failure) -> None:
        """The failure, as the child described it."""
        super().__init__(failure.error)
        self.failure = failure


class IsolatedJobs:
    """A pool of child processes for one scheduler."""

    def __init__(self, spec: Scheduler, handlers: Iterable[str], paths: Sequence[Path], log_format: str) -> None:
        """No process is started yet."""
        limit = spec.work.memory_limit
        patience = min(spec.cleanup.zombies.abandon_after.seconds, SHARE * spec.shutdown.cancel.seconds)
        self._pool = ChildPool(
            "penstock.scheduler.in_child:program",
            {"scheduler": spec.name, "handlers": sorted(handlers), "log_format": log_format},
            memory_limit=None if limit is None else limit.amount,
            path=[str(path.resolve()) for path in (Path.cwd(), *paths)],
            patience=patience,
        )

    async def open(self) -> None:
        """Import the handlers in the process that forks. Raises CannotGoOn."""
        try:
            await self._pool.start()
        except HandlerImportError as error:
            text = str(error).partition("CannotGoOn: ")[2] or str(error)
            raise CannotGoOn(f"in a child process, {text}", "see its import, or set `isolation: none`") from error

    async def close(self) -> None:
        """End all children."""
        await self._pool.close()

    async def run(self, job: EffectiveJob, context: JobContext) -> None:
        """Run a job. A cancelled run ends with CancelledError once its process has stopped it, or was killed."""
        name = f"{job.name}:{context.fence}".encode()
        run_fields = json.dumps([context.due, context.remaining]).encode()
        fields = ((b"job", jobs().dump_json(job)), (b"run", run_fields))
        request = RunRequest(name, fields, context.attempt, context.fence, context.consumer)
        run = asyncio.ensure_future(self._pool.run(request, alone=False, on_progress=lambda _: None))
        while not run.done():
            try:
                await asyncio.wait({run})
            except asyncio.CancelledError:
                await self._pool.cancel(name, REASONS[context.why or "drain"])
        try:
            ended = run.result()
        except IsolationError as error:
            raise NoThread(str(error)) from error
        match ended:
            case Returned(b""):
                return
            case Returned(result):
                raise FailedInChild(Failure.from_json(json.loads(result)))
            case Failure():
                raise FailedInChild(ended)
            case Crashed(code):
                how = describe_exit(code)
                context.log.event(Event.JOB_CRASHED, how=how)
                raise FailedInChild(Failure((CRASHED,), text=how))
            case Killed():
                raise asyncio.CancelledError
