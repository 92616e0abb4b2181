"""Whether Redis answers: told once when it stops, and once when it answers again."""

from __future__ import annotations

import logging
from collections.abc import Callable

from penstock.observe.events import Activity, Event
from penstock.observe.logs import Log
from penstock.observe.redis_log import log_trouble
from penstock.wire.errors import RedisTrouble

log = Log(logging.getLogger(__name__))


def ignore(_answers: bool) -> None:  # noqa: FBT001 - whether Redis answers
    """Nobody wants to know."""


class Reachability:
    """What all who share a connection know together, so that one outage is one line and not one for each pipeline."""

    def __init__(self, changed: Callable[[bool], None] = ignore) -> None:
        """`changed` is told whether Redis answers, whenever that changes."""
        self._answers: bool | None = None
        self._changed = changed

    def away(self, error: RedisTrouble) -> None:
        """There was no answer, or none that helps."""
        if self._answers is not False:
            log_trouble(log, Activity.MAINTAINING, error)
            self._answers = False
            self._changed(False)  # noqa: FBT003 - whether it answers

    def back(self) -> None:
        """There was one."""
        if not self._answers:
            if self._answers is False:
                log.event(Event.REDIS_REACHABLE, activity=Activity.MAINTAINING)
            self._answers = True
            self._changed(True)  # noqa: FBT003 - whether it answers


class SilentReachability(Reachability):
    """Of a janitor that makes one round: nothing is tried again, and whoever called it is told why."""

    def away(self, error: RedisTrouble) -> None:
        """It is raised, and said in a sentence."""
