"""How a worker leaves, in three phases: it stops reading; it finishes what runs; it gives back the rest and goes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from penstock.clocks import Clocks
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.wire.errors import RedisTrouble
from penstock.worker.attempts import Attempts
from penstock.worker.intake import Intake
from penstock.worker.metrics import WorkerMetrics
from penstock.worker.settler import Settler
from penstock_spec.kinds.pipeline.scaling import PipelineShutdown

TICK = 0.25
RESERVE = 1.0
"""Seconds before the end that are left for closing."""


def end_of(terms: PipelineShutdown, began: float) -> float:
    """When a process must be gone that began to leave then."""
    return began + terms.grace.seconds - min(RESERVE, terms.margin.seconds / 4)


class Drain:
    """From the signal to the end."""

    def __init__(  # noqa: PLR0913, PLR0917 - what it works with, each of a kind of its own
        self,
        terms: PipelineShutdown,
        intake: Intake,
        attempts: Attempts,
        settler: Settler,
        metrics: WorkerMetrics,
        log: Log,
        *,
        clocks: Clocks,
    ) -> None:
        self._terms = terms
        self._intake = intake
        self._attempts = attempts
        self._settler = settler
        self._metrics = metrics
        self._log = log
        self._monotonic = clocks.monotonic
        self._began = clocks.monotonic()
        self._phase_began = self._began

    async def run(
        self, intake: asyncio.Task[None], watch: asyncio.Task[None], deregister: Callable[[], Awaitable[bool]]
    ) -> int:
        """An exit code: 0 when nothing is left behind."""
        self._metrics.draining.set(1)
        self._log.event(Event.DRAIN_STARTED, running=self._attempts.busy, grace=str(self._terms.grace))
        self._attempts.draining = True
        watch.cancel()
        await self._within(self._intake.stop(intake), self._cut_off)
        self._phase("stop")
        await self._finish()
        self._phase("finish")
        unclean = await self._close(deregister)
        self._phase("close")
        seconds = round(self._monotonic() - self._began, 3)
        if unclean:
            self._log.event(Event.DRAIN_INCOMPLETE, reason=unclean, seconds=seconds)
        else:
            self._log.event(Event.DRAIN_FINISHED, seconds=seconds)
        return 1 if unclean else 0

    @property
    def _cut_off(self) -> float:
        """When what still runs is cancelled."""
        return self._began + self._terms.grace.seconds - self._terms.margin.seconds

    @property
    def _end(self) -> float:
        """When the process must be gone."""
        return end_of(self._terms, self._began)

    async def _finish(self) -> None:
        """Wait for handlers, saying how it goes: now and then, and at once on every change."""
        tell_at, left = self._monotonic(), -1
        while self._attempts.busy and self._monotonic() < self._cut_off:
            if self._attempts.busy != left or self._monotonic() >= tell_at:
                left, tell_at = self._attempts.busy, self._monotonic() + self._terms.progress.seconds
                said = "; ".join(str(one) for one in self._attempts.told())
                seconds = round(self._monotonic() - self._began, 1)
                self._log.event(Event.DRAIN_WAITING, running=left, seconds=seconds, progress=said)
            self._metrics.drain_seconds.set(self._monotonic() - self._began)
            self._metrics.drain_phases["finish"].set(self._monotonic() - self._phase_began)
            self._attempts.changed.clear()
            await self._wait(self._attempts.changed, min(TICK, self._cut_off - self._monotonic()))
        if self._attempts.busy:
            self._log.event(Event.DRAIN_CANCELLING, running=self._attempts.busy)
            self._attempts.cancel_all("drain")
            until = min(self._end, self._monotonic() + self._terms.margin.seconds / 2)
            while self._attempts.running and self._monotonic() < until:
                self._attempts.changed.clear()
                await self._wait(self._attempts.changed, min(TICK, until - self._monotonic()))
            self._attempts.give_up()

    async def _close(self, deregister: Callable[[], Awaitable[bool]]) -> str:
        """Settle and deregister. Why that could not be done; nothing when it was."""
        try:
            async with asyncio.timeout(max(0.0, self._end - self._monotonic())):
                await self._settler.empty()
                return "" if await deregister() else "it still owns messages"
        except TimeoutError:
            return "the grace period is over"
        except RedisTrouble as error:
            return f"Redis failed: {error}"

    async def _within(self, work: Awaitable[None], end: float) -> None:
        """Do it unless it takes too long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, end - self._monotonic())):
                await work

    async def _wait(self, event: asyncio.Event, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await event.wait()

    def _phase(self, name: str) -> None:
        now = self._monotonic()
        self._metrics.drain_phases[name].set(now - self._phase_began)
        self._metrics.drain_seconds.set(now - self._began)
        self._phase_began = now
