"""A task that fails is counted, told once, and holds up nothing else."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from penstock.janitor.kubernetes_pods import PodsUnknownError
from penstock.janitor.metrics import JanitorMetrics, Task
from penstock.janitor.reachability import Reachability
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.wire.errors import Absent, Refused, Unanswered

SHUT = frozenset({"NOAUTH", "WRONGPASS", "LOADING", "MASTERDOWN", "CLUSTERDOWN", "READONLY"})
"""Answers of a server that does nothing for us now, whatever it is asked: as good as none."""

log = Log(logging.getLogger(__name__))


class TaskGuard:
    """Around the tasks of one pipeline."""

    def __init__(self, pipeline: str, tally: JanitorMetrics, reach: Reachability) -> None:
        self._pipeline = pipeline
        self._tally = tally
        self._reach = reach
        self._troubled: set[Task] = set()
        self._failed: set[Task] = set()

    def begin(self) -> None:
        """A round begins."""
        self._failed.clear()

    def end(self) -> bool:
        """It came to its end; whether nothing failed. What had failed before, and did not now, is told."""
        for task in self._troubled - self._failed:
            log.event(Event.JANITOR_TASK_RECOVERED, pipeline=self._pipeline, task=task)
        self._troubled &= self._failed
        return not self._failed

    async def do(self, task: Task, what: Callable[[], Awaitable[object]]) -> None:
        """Do it, or count that it failed. Raises Absent and Unanswered: the next task would meet the same."""
        try:
            await what()
        except (Absent, Unanswered) as error:
            self._tally.failed(task, error)
            self._reach.away(error)
            raise
        except (Refused, PodsUnknownError) as error:
            if isinstance(error, Refused) and error.code in SHUT:
                self._tally.failed(task, error)
                self._reach.away(error)
                raise Absent(str(error)) from error
            if self._is_new(task, error):
                log.event(Event.JANITOR_TASK_FAILED, pipeline=self._pipeline, task=task, error=str(error))
        except Exception as error:  # noqa: BLE001 - a fault of ours in one task must not stop the others
            if self._is_new(task, error):
                log.event(Event.JANITOR_TASK_FAILED, error, pipeline=self._pipeline, task=task)
        else:
            self._reach.back()

    def _is_new(self, task: Task, error: Exception) -> bool:
        self._tally.failed(task, error)
        self._failed.add(task)
        known = task in self._troubled
        self._troubled.add(task)
        return not known
