"""The drain of a worker, in three phases: stop reading; finish running messages; give back the rest and exit."""

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

POLL = 0.25
RESERVE = 1.0
"""Seconds that are reserved for closing."""


def exit_deadline(terms: PipelineShutdown, started: float) -> float:
    """When a process that started to drain at this time must have ended."""
    return started + terms.grace.seconds - min(RESERVE, terms.margin.seconds / 4)


class Drain:
    """Drains a worker, once."""

    def __init__(  # noqa: PLR0913, PLR0917 - its collaborators, each of another type
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
        self._started = clocks.monotonic()
        self._phase_started = self._started

    async def run(
        self, intake: asyncio.Task[None], watch: asyncio.Task[None], deregister: Callable[[], Awaitable[bool]]
    ) -> int:
        """Drain, and return the exit code: 0 if nothing is left behind."""
        self._metrics.draining.set(1)
        running, cut_off_before = self._attempts.busy, self._metrics.cut_off
        self._log.event(Event.DRAIN_STARTED, running=running, grace=str(self._terms.grace))
        self._attempts.draining = True
        watch.cancel()
        await self._with_deadline(self._intake.stop(intake), self._cancel_at)
        self._phase("stop")
        await self._finish()
        self._phase("finish")
        problem = await self._close(deregister)
        self._phase("close")
        seconds = round(self._monotonic() - self._started, 3)
        given_back = self._metrics.cut_off - cut_off_before
        finished = max(0, running - given_back - self._attempts.busy)
        if problem:
            self._log.event(
                Event.DRAIN_INCOMPLETE, reason=problem, seconds=seconds, finished=finished, given_back=given_back
            )
        else:
            self._log.event(Event.DRAIN_FINISHED, seconds=seconds, finished=finished, given_back=given_back)
        return 1 if problem else 0

    @property
    def _cancel_at(self) -> float:
        """When running messages are cancelled."""
        return self._started + self._terms.grace.seconds - self._terms.margin.seconds

    @property
    def _exit_by(self) -> float:
        """When the process must have ended."""
        return exit_deadline(self._terms, self._started)

    async def _finish(self) -> None:
        """Wait for handlers, and log their progress at intervals."""
        report_at = self._monotonic()
        while self._attempts.unfinished and self._monotonic() < self._cancel_at:
            if self._monotonic() >= report_at:
                report_at = self._monotonic() + self._terms.progress.seconds
                progress = "; ".join(str(one) for one in self._attempts.progress())
                seconds = round(self._monotonic() - self._started, 1)
                self._log.event(Event.DRAIN_WAITING, running=self._attempts.busy, seconds=seconds, progress=progress)
            self._metrics.drain_seconds.set(self._monotonic() - self._started)
            self._metrics.drain_phases["finish"].set(self._monotonic() - self._phase_started)
            self._attempts.changed.clear()
            await self._wait(self._attempts.changed, min(POLL, self._cancel_at - self._monotonic()))
        if self._attempts.unfinished:
            self._log.event(Event.DRAIN_CANCELLING, running=self._attempts.busy)
            self._attempts.cancel_all("drain")
            until = min(self._exit_by, self._monotonic() + self._terms.margin.seconds / 2)
            while self._attempts.running and self._monotonic() < until:
                self._attempts.changed.clear()
                await self._wait(self._attempts.changed, min(POLL, until - self._monotonic()))
            self._attempts.give_back_all()

    async def _close(self, deregister: Callable[[], Awaitable[bool]]) -> str:
        """Settle and deregister. Returns why that failed; empty if it succeeded."""
        try:
            async with asyncio.timeout(max(0.0, self._exit_by - self._monotonic())):
                await self._settler.empty()
                return "" if await deregister() else "it still owns messages"
        except TimeoutError:
            return "the grace period is over"
        except RedisTrouble as error:
            return f"Redis failed: {error}"

    async def _with_deadline(self, work: Awaitable[None], end: float) -> None:
        """Await this until the deadline."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, end - self._monotonic())):
                await work

    async def _wait(self, event: asyncio.Event, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await event.wait()

    def _phase(self, name: str) -> None:
        now = self._monotonic()
        self._metrics.drain_phases[name].set(now - self._phase_started)
        self._metrics.drain_seconds.set(now - self._started)
        self._phase_started = now
