"""What is seen of one pipeline: measured every two seconds, by every janitor, and told by the one that leads."""

from __future__ import annotations

import logging

from penstock.clocks import Clocks
from penstock.janitor.links import PipelineLinks
from penstock.janitor.metrics import JanitorMetrics
from penstock.janitor.task_guard import TaskGuard
from penstock.maintenance.measure import Measurement, measure
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.resolved import ResolvedPipeline

EVERY = 2.0
"""Seconds between two looks."""
STALE = 15.0
"""Seconds after which a look says nothing any more."""

log = Log(logging.getLogger(__name__))


class PipelineMonitor:
    """The last look at a pipeline. Set in one thread, read in others: a look is replaced as a whole."""

    def __init__(self, pipeline: ResolvedPipeline, pair: PipelineLinks, tally: JanitorMetrics, clocks: Clocks) -> None:
        """Of its links it uses the one for metrics."""
        self.name = pipeline.name
        self._keys = pipeline.keys
        self.pair = pair
        self._link = pair.metrics
        self._tally = tally
        self._guard = TaskGuard(pipeline.name, tally, pair.reach)
        self._monotonic = clocks.monotonic
        self._lossless = pipeline.spec.stream.backlog.when_full != "drop-oldest"
        self._last: tuple[float, Measurement] | None = None

    def last(self) -> Measurement | None:
        """The last look; none while it is too old to say anything."""
        last = self._last
        return last[1] if last and self._monotonic() - last[0] <= STALE else None

    async def look(self) -> None:
        """Look once more. Raises Absent and Unanswered."""
        self._guard.begin()
        await self._guard.do("measure", self._measure)
        self._guard.end()

    async def _measure(self) -> None:
        measured = await measure(self._link, self._keys)
        self._last = (self._monotonic(), measured)
        self._tally.measured(measured)
        if self._tally.leads and self._lossless:
            await self._tell_vanished(measured)

    async def _tell_vanished(self, now: Measurement) -> None:
        """What somebody trimmed before it was read. What was told is remembered in Redis, so that no other tells it."""
        if now.deleted_unread_reported is None:
            await self._remember(now.deleted_unread or 0)
        elif now.deleted_unread is not None and now.deleted_unread != now.deleted_unread_reported:
            await self._remember(now.deleted_unread)
            if now.deleted_unread > now.deleted_unread_reported:
                lost = now.deleted_unread - now.deleted_unread_reported
                self._tally.vanished(lost)
                log.event(Event.MESSAGES_LOST, count=lost, state="unread", pipeline=self.name, stream=self._keys.stream)

    async def _remember(self, vanished: int) -> None:
        await self._link.call("HSET", self._keys.position, "vanished", vanished)
