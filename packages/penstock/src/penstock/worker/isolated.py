"""Runs a message's handler apart: in a child process, which may crash without taking other messages with it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import cast

from penstock.handling.failures import Failure
from penstock.isolation.errors import IsolationError
from penstock.isolation.runs import Crashed, Killed, ProgressReport, Returned, RunRequest
from penstock.isolation.spawner import Spawner
from penstock.message.form import Form
from penstock.message.unreadable import Reason, Unreadable
from penstock.observe.complaints import Complaints
from penstock.worker import outcome
from penstock.worker.attempts import Crash, FailedElsewhere, Stopped, Unstarted
from penstock.worker.context import Context, Left, Progress
from penstock.worker.delivery import Delivery

STARTING, STARTED = "starting messages in child processes", "they start again"


class IsolatedRunner:
    """Runs messages in children: each in one of its own, or in one of a pool."""

    def __init__(self, spawner: Spawner, form: Form, complaints: Complaints, *, alone: bool) -> None:
        self._spawner = spawner
        self._form = form
        self._complaints = complaints
        self._alone = alone

    async def run(self, delivery: Delivery, context: Context) -> None:
        """One attempt. Raises what `Runs` says."""
        try:
            await self._run(delivery, context)
        except Unstarted as error:
            self._complaints.trouble(STARTING, error)
            raise
        except BaseException:
            self._complaints.over(STARTING, STARTED)
            raise
        else:
            self._complaints.over(STARTING, STARTED)

    async def _run(self, delivery: Delivery, context: Context) -> None:
        run = asyncio.ensure_future(
            self._spawner.run(
                request_of(delivery, context), alone=self._alone, on_progress=lambda told: _say(context, told)
            )
        )
        while not run.done():
            try:
                await asyncio.wait({run})
            except asyncio.CancelledError:
                # The child is asked, and killed if it does not listen; either way `run` tells how it ended.
                await self._spawner.cancel(delivery.id, context.why or "drain")
        try:
            ended = run.result()
        except IsolationError as error:
            raise Unstarted(str(error)) from None
        match ended:
            case Returned(result):
                _tell(outcome.read(result), context)
            case Failure():  # around the handler
                raise FailedElsewhere(ended)
            case Crashed():
                self._look_at(delivery, context)
                raise Crash(ended.text)
            case Killed():
                self._look_at(delivery, context)
                raise Stopped if ended.begun else Unstarted("no child was there in time")

    def _look_at(self, delivery: Delivery, context: Context) -> None:
        """The child cannot tell any more, so our lines are to say which message it was."""
        with suppress(Unreadable):
            received = self._form.read(delivery.fields)
            context.about(received.value, received.own.id)


def request_of(delivery: Delivery, context: Context) -> RunRequest:
    """What a child is given."""
    pairs = tuple(zip(delivery.fields[::2], delivery.fields[1::2], strict=False))
    left = max(0.0, context.deadline - time.monotonic())
    return RunRequest(delivery.id, pairs, delivery.attempt, delivery.count, delivery.consumer, left)


def _say(context: Context, progress: ProgressReport) -> None:
    told = progress.told
    if isinstance(told, Mapping):
        says, done, total = told.get("says"), told.get("done"), told.get("total")
        numbers = [float(one) if isinstance(one, int | float) else None for one in (done, total)]
        context.heard(Progress(str(says or ""), *numbers))


def _tell(came: outcome.Outcome, context: Context) -> None:
    """The handler's side of it, as if it had run here."""
    if came.unstarted is not None:
        raise Unstarted(came.unstarted)
    if came.unreadable is not None:
        reason, says = came.unreadable
        raise Unreadable(cast("Reason", reason), says)
    if came.failure is not None:
        raise FailedElsewhere(came.failure)
    if came.left is not None:
        context.left = Left(came.left.encode(), came.stays)
