"""Runs a message's handler in this process: read, check, call."""

from __future__ import annotations

import asyncio
from typing import Any

from penstock.handling.calling import ThreadStillRunning
from penstock.handling.failures import Failure
from penstock.handling.middleware import Call
from penstock.handling.typed import Make
from penstock.message import unreadable
from penstock.message.encoding import Encoding, Received
from penstock.observe.events import Event
from penstock.observe.failures import failure
from penstock.observe.spans import Spans
from penstock.observe.subject import SUBJECT
from penstock.observe.traces import read
from penstock.worker.context import Context
from penstock.worker.delivery import Delivery
from penstock.worker.outcome import DONE, STOPPED, Done, Failed, Outcome, Stopped, Unreadable


class InProcessRunner:
    """Runs messages in this process."""

    def __init__(self, encoding: Encoding, make: Make, call: Call, spans: Spans) -> None:
        """`make` creates the handler's argument."""
        self._encoding = encoding
        self._make = make
        self._call = call
        self._spans = spans

    async def run(self, delivery: Delivery, context: Context) -> Outcome:
        """Run one attempt. Each exception of a handler becomes an outcome, except GeneratorExit."""
        SUBJECT.set(context)
        try:
            received = self._encoding.read(delivery.fields)
            context.set_message(received.value, received.own.id)
            message = self._make(received)
            if received.own.parent is None and not self._spans.active:
                await self._call(message, context)
            else:
                await self._traced(received, message, context)
        except unreadable.Unreadable as error:
            return Unreadable(error.reason, error.says)
        except ThreadStillRunning as error:
            return Stopped(error.future)
        except GeneratorExit:  # from a thread: asyncio closes this coroutine and raises it in its caller
            raise
        except BaseException as error:  # noqa: BLE001 - a handler may raise anything, even SystemExit
            return outcome_of(error, context)
        if context.why is not None and has_swallowed():
            context.log.event(Event.CANCELLATION_SWALLOWED, why=context.why)
            return STOPPED
        return DONE if context.result is None else Done(context.result)

    async def _traced(self, received: Received, message: Any, context: Context) -> None:  # noqa: ANN401 - the type that the handler takes
        remote_trace = read(received.own.parent, received.own.state)
        attempt_span = self._spans.process(
            remote_trace, message_id=context.message_id, attempt=context.attempt, correlation=context.correlation
        )
        with attempt_span as processing:
            context.span = processing.span
            await self._call(message, context)


def has_swallowed() -> bool:
    """Whether the current task runs on after it was cancelled."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def outcome_of(error: BaseException, context: Context) -> Failed | Stopped:
    """Log and describe an exception, even one that cannot be inspected, because its message must not get stuck.

    An exception after a cancellation is a consequence of the cancellation, not a failure of the message.
    """
    if context.why is not None:
        return Stopped(out_of_memory=True) if issubclass(type(error), MemoryError) else STOPPED
    try:
        described = failure(error)
        outcome = Failed(Failure.of(error, described.at))
        context.log.event(Event.MESSAGE_FAILED, error=described.error, at=described.at)
    except Exception as secondary:  # noqa: BLE001 - such as a `__class__` that raises
        described = failure(secondary)
        context.log.event(Event.MESSAGE_NOT_CLASSIFIED, error=described.error, at=described.at)
        return Failed(Failure(("builtins.Exception",), text="(its text cannot be read)"))
    return outcome
