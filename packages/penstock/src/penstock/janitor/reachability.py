"""Logs once when Redis becomes unreachable, and once when it is reachable again."""

from __future__ import annotations

import logging
from collections.abc import Callable

from penstock.observe.events import Activity, Event
from penstock.observe.logs import Log
from penstock.observe.redis_log import log_trouble
from penstock.wire.errors import RedisTrouble

log = Log(logging.getLogger(__name__))


def ignore(_answers: bool) -> None:  # noqa: FBT001 - whether Redis answers
    """Do nothing."""


class Reachability:
    """Shared by all tasks of a connection, so that an outage is logged once and not for each pipeline."""

    def __init__(self, changed: Callable[[bool], None] = ignore) -> None:
        """`changed` is called with whether Redis answers, when that changes."""
        self._answers: bool | None = None
        self._changed = changed

    def unreachable(self, error: RedisTrouble) -> None:
        """Redis did not answer, or refuses all commands."""
        if self._answers is not False:
            log_trouble(log, Activity.MAINTAINING, error)
            self._answers = False
            self._changed(False)  # noqa: FBT003 - whether it answers

    def reachable(self) -> None:
        """Redis answered."""
        if not self._answers:
            if self._answers is False:
                log.event(Event.REDIS_REACHABLE, activity=Activity.MAINTAINING)
            self._answers = True
            self._changed(True)  # noqa: FBT003 - whether it answers


class SilentReachability(Reachability):
    """For a single round, which is not repeated: the caller reports the failure."""

    def unreachable(self, error: RedisTrouble) -> None:
        """The exception reaches the caller."""
