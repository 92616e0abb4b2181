"""Runs a message's handler in a child process, which may crash without taking other messages with it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from penstock.handling.failures import Failure
from penstock.isolation.errors import IsolationError
from penstock.isolation.runs import Crashed, Killed, ProgressReport, Returned, RunRequest
from penstock.isolation.spawner import Spawner
from penstock.message import unreadable
from penstock.message.form import Form
from penstock.observe.complaints import Complaints
from penstock.worker.context import Context, Progress
from penstock.worker.delivery import Delivery
from penstock.worker.outcome import STOPPED, Failed, NotStarted, Outcome, Stopped, decode

STARTING, STARTED = "starting messages in child processes", "they start again"


class IsolatedRunner:
    """Runs messages in children: each in one of its own, or in one of a pool."""

    def __init__(self, spawner: Spawner, form: Form, complaints: Complaints, *, alone: bool) -> None:
        """`alone`: each message gets a child of its own."""
        self._spawner = spawner
        self._form = form
        self._complaints = complaints
        self._alone = alone

    async def run(self, delivery: Delivery, context: Context) -> Outcome:
        """Run one attempt."""
        outcome = await self._run(delivery, context)
        if isinstance(outcome, NotStarted):
            self._complaints.trouble(STARTING, IsolationError(outcome.why))
        else:
            self._complaints.over(STARTING, STARTED)
        if isinstance(outcome, Crashed | Stopped):
            self._read_for_logs(delivery, context)
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
                # The child is asked to stop, and killed if it does not; either way `run` says how it ended.
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
            case Killed(begun=True):
                return STOPPED
            case Killed():
                return NotStarted("no child was there in time")

    def _read_for_logs(self, delivery: Delivery, context: Context) -> None:
        """The child says no more, so this worker's lines must say which message it was."""
        with suppress(unreadable.Unreadable):
            received = self._form.read(delivery.fields)
            context.about(received.value, received.own.id)


def request_of(delivery: Delivery, context: Context) -> RunRequest:
    """Describe an attempt for a child."""
    pairs = tuple(zip(delivery.fields[::2], delivery.fields[1::2], strict=False))
    return RunRequest(delivery.id, pairs, delivery.attempt, delivery.count, delivery.consumer, context.remaining)


def _pass_on(report: ProgressReport, context: Context) -> None:
    told = report.told
    if isinstance(told, Mapping):
        says, done, total = told.get("says"), told.get("done"), told.get("total")
        numbers = [float(one) if isinstance(one, int | float) else None for one in (done, total)]
        context.heard(Progress(str(says or ""), *numbers))
