"""Monitors one pipeline: every janitor measures it every two seconds, and the leader exports the measurements."""

from __future__ import annotations

import logging

from penstock.clocks import Clocks
from penstock.janitor.links import PipelineLinks
from penstock.janitor.metrics import JanitorMetrics
from penstock.janitor.task_guard import TaskGuard
from penstock.maintenance.measure import Measurement, measure
from penstock.maintenance.server_id import ServerId
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.resolved import ResolvedPipeline

EVERY = 2.0
"""Seconds between two measurements."""
STALE = 15.0
"""Seconds after which a measurement is outdated."""

log = Log(logging.getLogger(__name__))


class PipelineMonitor:
    """Holds the last measurement. It is replaced in one thread and read in others."""

    def __init__(
        self, pipeline: ResolvedPipeline, links: PipelineLinks, metrics: JanitorMetrics, clocks: Clocks
    ) -> None:
        """Use the link for metrics."""
        self.name = pipeline.name
        self._keys = pipeline.keys
        self.links = links
        self._link = links.metrics
        self._metrics = metrics
        self._guard = TaskGuard(pipeline.name, metrics, links.reach)
        self._monotonic = clocks.monotonic
        self._keeps_nothing = pipeline.spec.stream.retention.keeps_nothing
        self._lossless = pipeline.spec.stream.backlog.when_full != "drop-oldest"
        self._server = ServerId(links.metrics)
        self._large = b""
        """The large entries that this janitor wrote into `position`, for the first measurement of others."""
        self._last: tuple[float, Measurement] | None = None

    def last(self) -> Measurement | None:
        """The last measurement; None if it is outdated."""
        last = self._last
        return last[1] if last and self._monotonic() - last[0] <= STALE else None

    async def update(self) -> None:
        """Measure again. Raises Absent and Unanswered."""
        self._guard.begin()
        await self._guard.do("measure", self._measure)
        self._guard.end()

    async def _measure(self) -> None:
        measured = await measure(self._link, self._keys, self._last[1].large if self._last else b"")
        self._last = (self._monotonic(), measured)
        self._metrics.measured(measured)
        if self._metrics.leads and measured.large != self._large:
            await self._link.call("HSET", self._keys.position, "large", measured.large)
            self._large = measured.large
        if self._metrics.leads and self._lossless:
            await self._log_vanished(measured)

    async def _log_vanished(self, now: Measurement) -> None:
        """Log messages that were trimmed unread. Redis keeps the number of logged ones, for all janitors.

        A restarted or promoted server may have forgotten what the group has read (Redis 7.0 does not write it to the
        append-only file), so that finished messages look like vanished ones. Counting restarts there.
        """
        server, reported = await self._server.run_id(), now.deleted_unread_reported
        if reported is None or server != now.counted_on:
            if (baseline := self._baseline(now)) is not None:
                await self._remember(baseline, server)
        elif now.deleted_unread is not None and now.deleted_unread != reported:
            await self._remember(now.deleted_unread, server)
            if now.deleted_unread > reported:
                lost = now.deleted_unread - reported
                self._metrics.vanished(lost)
                log.event(Event.MESSAGES_LOST, count=lost, state="unread", pipeline=self.name, stream=self._keys.stream)

    def _baseline(self, now: Measurement) -> int | None:
        """How many messages seem to have vanished on a server on which none was reported yet; None if unknown."""
        if now.deleted_unread is not None:
            return now.deleted_unread
        if self._keeps_nothing and now.lag is not None:
            return max(0, now.lag - (now.new(until_done=True) or 0))
        return 0 if now.deleted_unread_reported is None else None

    async def _remember(self, vanished: int, server: bytes) -> None:
        await self._link.call("HSET", self._keys.position, "vanished", vanished, "server", server)
