"""Runs a message's handler here, in this process: read, check, call."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from penstock.handling.load import Handler
from penstock.handling.middleware import Call, with_middleware
from penstock.handling.typed import Make
from penstock.message.form import Form, Received
from penstock.observe.about import ABOUT
from penstock.observe.spans import Spans
from penstock.observe.traces import read
from penstock.worker.context import Context
from penstock.worker.delivery import Delivery


class Here:
    """Runs messages in this process."""

    def __init__(self, form: Form, make: Make, call: Call, spans: Spans) -> None:
        """`make` gives what the handler takes."""
        self._form = form
        self._make = make
        self._call = call
        self._spans = spans

    async def run(self, delivery: Delivery, context: Context) -> None:
        """One attempt. Raises Unreadable, and what the handler raises."""
        ABOUT.set(context)
        received = self._form.read(delivery.fields)
        context.about(received.value, received.own.id)
        message = self._make(received)
        if received.own.parent is None and not self._spans.active:
            await self._call(message, context)
        else:
            await self._traced(received, message, context)

    async def _traced(self, received: Received, message: Any, context: Context) -> None:  # noqa: ANN401 - as handlers want it
        came_with = read(received.own.parent, received.own.state)
        around = self._spans.process(
            came_with, message_id=context.message_id, attempt=context.attempt, correlation=context.correlation
        )
        with around as processing:
            context.span = processing.span
            await self._call(message, context)


class Thread(asyncio.CancelledError):
    """An attempt was cancelled, and its thread goes on: threads cannot be stopped."""

    def __init__(self, future: asyncio.Future[object]) -> None:
        super().__init__()
        self.future = future


def call_of(handler: Handler, pool: Callable[[], Executor]) -> Call:
    """The handler with all that is around it, as one coroutine function. `pool` gives threads to plain functions."""
    function = handler.function
    if handler.style == "thread":
        inner = _in_threads(function, pool(), context=handler.context)
    elif handler.context:
        inner = function
    else:

        async def alone(message: Any, _: Any) -> Any:  # noqa: ANN401 - whatever the handler takes and returns
            return await function(message)

        inner = alone
    return with_middleware(inner, handler.middleware)


def _in_threads(function: Callable[..., Any], pool: Executor, *, context: bool) -> Call:
    async def call(message: Any, given: Any) -> Any:  # noqa: ANN401 - as above
        arguments = (message, given) if context else (message,)
        around = contextvars.copy_context()
        future = asyncio.get_running_loop().run_in_executor(pool, around.run, _called, function, *arguments)
        try:
            result = await asyncio.shield(future)
        except asyncio.CancelledError:
            if future.done():
                raise
            raise Thread(future) from None
        if inspect.iscoroutine(result):
            result.close()
            raise TypeError("a plain function gave back a coroutine; declare the handler with `async def`")
        return result

    return call


def _called(function: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401 - as above
    try:
        return function(*arguments)
    except StopIteration as error:  # no future takes it, and the attempt would never end
        raise RuntimeError("the handler raised StopIteration") from error
