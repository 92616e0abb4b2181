"""How a handler is called: as it is, or in a thread; with all that is around it, as one coroutine function."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from penstock.handling.load import Handler, LoadedFunction
from penstock.handling.middleware import Call, with_middleware


class ThreadStillRunning(asyncio.CancelledError):
    """An attempt was cancelled, and its thread goes on: threads cannot be stopped."""

    def __init__(self, future: asyncio.Future[object]) -> None:
        super().__init__()
        self.future = future


class NoThread(RuntimeError):  # noqa: N818 - it is no fault of the handler's
    """There is no thread for it: the system gives no more of them, or they are being closed."""


def call_of(handler: Handler | LoadedFunction, pool: Callable[[], Executor]) -> Call:
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
        try:
            future = asyncio.get_running_loop().run_in_executor(pool, around.run, _called, function, *arguments)
        except RuntimeError as error:
            raise NoThread(str(error)) from error
        try:
            result = await asyncio.shield(future)
        except asyncio.CancelledError:
            if future.done():
                raise
            raise ThreadStillRunning(future) from None
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
