"""Runs tasks so that a failure is counted, logged once, and does not stop other tasks."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from penstock.janitor.kubernetes_pods import PodsUnknownError
from penstock.janitor.metrics import JanitorMetrics, Task
from penstock.janitor.reachability import Reachability
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.wire.errors import Absent, Refused, Unanswered

REFUSES_ALL = frozenset({"NOAUTH", "WRONGPASS", "LOADING", "MASTERDOWN", "CLUSTERDOWN", "READONLY"})
"""Errors with which a server refuses all commands; they count as unreachable."""

log = Log(logging.getLogger(__name__))


class TaskGuard:
    """Guards the tasks of one pipeline."""

    def __init__(self, pipeline: str, metrics: JanitorMetrics, reach: Reachability) -> None:
        self._pipeline = pipeline
        self._metrics = metrics
        self._reach = reach
        self._troubled: set[Task] = set()
        self._failed: set[Task] = set()

    def begin(self) -> None:
        """Begin a round."""
        self._failed.clear()

    def end(self) -> bool:
        """End a round, log tasks that work again, and return whether none failed."""
        for task in self._troubled - self._failed:
            log.event(Event.JANITOR_TASK_RECOVERED, pipeline=self._pipeline, task=task)
        self._troubled &= self._failed
        return not self._failed

    async def do(self, task: Task, work: Callable[[], Awaitable[object]]) -> None:
        """Run a task, and count its failure. Raises Absent and Unanswered: the next task would fail as well."""
        try:
            await work()
        except (Absent, Unanswered) as error:
            self._metrics.failed(task, error)
            self._reach.unreachable(error)
            raise
        except (Refused, PodsUnknownError) as error:
            if isinstance(error, Refused) and error.code in REFUSES_ALL:
                self._metrics.failed(task, error)
                self._reach.unreachable(error)
                raise Absent(str(error)) from error
            if self._is_new(task, error):
                log.event(Event.JANITOR_TASK_FAILED, pipeline=self._pipeline, task=task, error=str(error))
        except Exception as error:  # noqa: BLE001 - a bug in one task must not stop the others
            if self._is_new(task, error):
                log.event(Event.JANITOR_TASK_FAILED, error, pipeline=self._pipeline, task=task)
        else:
            self._reach.reachable()

    def _is_new(self, task: Task, error: Exception) -> bool:
        self._metrics.failed(task, error)
        self._failed.add(task)
        known = task in self._troubled
        self._troubled.add(task)
        return not known
