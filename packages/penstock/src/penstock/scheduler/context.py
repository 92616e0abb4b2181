"""The context that a job's handler gets in addition to the job."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import Literal

from penstock.observe.logs import Log
from penstock.scheduler.job_steps import AcquiredJob

StopReason = Literal["overdue", "lost", "drain", "replaced"]

LOGGER = logging.getLogger("penstock.scheduler.job")


class JobContext:
    """Information about a run, for its handler."""

    __slots__ = ("_acquired", "_monotonic", "attempt", "consumer", "deadline", "due", "why")

    def __init__(  # noqa: PLR0913, PLR0917 - all values of a run
        self,
        acquired: AcquiredJob,
        due: int,
        attempt: int,
        deadline: float,
        consumer: str,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Created for each run."""
        self._acquired = acquired
        self._monotonic = monotonic
        self.due = due
        """The second in Redis time at which this run was due; a retry keeps the second of the run that failed."""
        self.attempt = attempt
        """1, plus the failures in a row before this run."""
        self.deadline = deadline
        """When the run times out, in monotonic time. Afterwards another pod may acquire the job."""
        self.consumer = consumer
        """The name of the pod's consumer that holds the job."""
        self.why: StopReason | None = None
        """Why this run was cancelled, if it was: its timeout, a lost lease, the drain of the pod, or the next run."""

    @property
    def fence(self) -> int:
        """A fencing token: it grows with each run of a job, so that other systems can refuse effects of older runs."""
        return self._acquired.fence

    @property
    def cancelled(self) -> bool:
        """Whether to stop. A plain function checks this regularly; a coroutine is cancelled."""
        return self.why is not None

    @property
    def lost(self) -> bool:
        """Whether another pod may run this job: an effect may now happen twice."""
        return self.why == "lost"

    @property
    def remaining(self) -> float:
        """Seconds until this run times out."""
        return max(0.0, self.deadline - self._monotonic())

    @property
    def log(self) -> Log:
        """A logger whose lines carry the fields of this run."""
        return Log(LOGGER, self)

    def log_fields(self) -> Mapping[str, object]:
        """The fields of every line about this run."""
        return {"job": self._acquired.name, "attempt": self.attempt, "fence": self._acquired.fence}
