"""Runs a message's handler in a child process, whose crash does not affect other messages."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from penstock.handling.failures import Failure
from penstock.isolation.errors import IsolationError
from penstock.isolation.runs import Crashed, Killed, ProgressReport, Returned, RunRequest
from penstock.isolation.spawner import Spawner
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.observe.throttle import Throttle
from penstock.worker.context import Context, Progress
from penstock.worker.delivery import Delivery
from penstock.worker.in_process import InProcessRunner
from penstock.worker.outcome import STOPPED, Failed, NotStarted, Outcome, decode

STARTING = "starting child processes"
RESTS_AFTER = 30.0
"""Seconds without a suspect after which the fork server ends: it holds a second copy of the handler."""


class IsolatedRunner:
    """Runs messages in child processes: each in its own, or in one of a pool."""

    def __init__(self, spawner: Spawner, log: Log, throttle: Throttle, *, alone: bool, rests: bool = False) -> None:
        """`alone`: each message gets its own child. `rests`: the spawner frees its memory when it is not needed."""
        self._spawner = spawner
        self._log = log
        self._throttle = throttle
        self._alone = alone
        self._rests = rests
        self._running = 0
        self._rest: asyncio.TimerHandle | None = None
        self._resting: asyncio.Task[None] | None = None

    async def run(self, delivery: Delivery, context: Context) -> Outcome:
        """Run one attempt."""
        if not self._rests:
            return await self._run_and_report(delivery, context)
        if self._rest is not None:
            self._rest.cancel()
        self._running += 1
        try:
            return await self._run_and_report(delivery, context)
        finally:
            self._running -= 1
            if not self._running:
                self._rest = asyncio.get_running_loop().call_later(RESTS_AFTER, self._start_rest)

    def _start_rest(self) -> None:
        self._resting = asyncio.create_task(self._spawner.rest())

    async def _run_and_report(self, delivery: Delivery, context: Context) -> Outcome:
        outcome = await self._run(delivery, context)
        if isinstance(outcome, NotStarted):
            if self._throttle.admits(STARTING):
                self._log.event(Event.ISOLATION_FAILED, error=outcome.why)
        elif self._throttle.ends(STARTING):
            self._log.event(Event.ISOLATION_RECOVERED)
        return outcome

    async def _run(self, delivery: Delivery, context: Context) -> Outcome:
        run = asyncio.ensure_future(
            self._spawner.run(
                request_of(delivery, context),
                alone=self._alone,
                on_progress=lambda report: _pass_on(report, context),
            )
        )
        while not run.done():
            try:
                await asyncio.wait({run})
            except asyncio.CancelledError:
                # The child is asked to stop, and killed if it does not; then `run` returns how it ended.
                await self._spawner.cancel(delivery.id, context.why or "drain")
        try:
            ended = run.result()
        except IsolationError as error:
            return NotStarted(str(error))
        match ended:
            case Returned(result):
                return decode(result)
            case Failure():  # outside the handler
                return Failed(ended)
            case Crashed():
                return ended
            case Killed(started=True):
                return STOPPED
            case Killed():
                return NotStarted("no child process was ready in time")


def request_of(delivery: Delivery, context: Context) -> RunRequest:
    """Describe an attempt for a child."""
    pairs = tuple(zip(delivery.fields[::2], delivery.fields[1::2], strict=False))
    return RunRequest(delivery.id, pairs, delivery.attempt, delivery.count, delivery.consumer, context.remaining)


def _pass_on(report: ProgressReport, context: Context) -> None:
    value = report.value
    if isinstance(value, Mapping):
        says, done, total = value.get("says"), value.get("done"), value.get("total")
        numbers = [float(number) if isinstance(number, int | float) else None for number in (done, total)]
        context.set_progress(Progress(str(says or ""), *numbers))


class AloneRunner:
    """Runs a suspect in this worker, which runs nothing else.

    The fork server ends first, because memory may allow only one copy of the handler.
    """

    def __init__(self, spawner: Spawner, runner: InProcessRunner) -> None:
        self._spawner = spawner
        self._runner = runner

    async def run(self, delivery: Delivery, context: Context) -> Outcome:
        """Run one attempt."""
        await self._spawner.rest()
        return await self._runner.run(delivery, context)
