"""What a job's handler is told beside its job."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import Literal

from penstock.observe.logs import Log
from penstock.scheduler.job_steps import AcquiredJob

StopReason = Literal["overdue", "lost", "drain"]

LOGGER = logging.getLogger("penstock.scheduler.job")


class JobContext:
    """Given to a handler beside its job."""

    __slots__ = ("_monotonic", "_taken", "attempt", "consumer", "deadline", "due", "why")

    def __init__(  # noqa: PLR0913, PLR0917 - what a run is
        self,
        taken: AcquiredJob,
        due: int,
        attempt: int,
        deadline: float,
        consumer: str,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Made for each run."""
        self._taken = taken
        self._monotonic = monotonic
        self.due = due
        """The second, in Redis time, for which this run is; one that makes up for a failed run has that one's."""
        self.attempt = attempt
        """1, and one more for each failure in a row before it."""
        self.deadline = deadline
        """When this run's time is over, in monotonic time; from then on another pod may take the job."""
        self.consumer = consumer
        """The pod's consumer that holds the job."""
        self.why: StopReason | None = None
        """Why this run was told to stop, if it was: its timeout, a lost lease, or the drain of the pod."""

    @property
    def fence(self) -> int:
        """Grows with each run of a job; an effect with a smaller one comes too late."""
        return self._taken.fence

    @property
    def cancelled(self) -> bool:
        """Whether to stop. A plain function looks at this now and then; others are cancelled."""
        return self.why is not None

    @property
    def lost(self) -> bool:
        """Whether another pod has this job, or may have: what is done now may be done twice."""
        return self.why == "lost"

    @property
    def remaining(self) -> float:
        """Seconds until this run's time is over."""
        return max(0.0, self.deadline - self._monotonic())

    @property
    def log(self) -> Log:
        """A logger whose lines say which job they are about."""
        return Log(LOGGER, self)

    def log_fields(self) -> Mapping[str, object]:
        """What every line about this run says."""
        return {"job": self._taken.name, "attempt": self.attempt, "fence": self._taken.fence}
