"""Combines a handler and its middleware into one coroutine function; plain functions run in threads."""

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
    """The attempt was cancelled, but its thread still runs: threads cannot be cancelled."""

    def __init__(self, future: asyncio.Future[object]) -> None:
        super().__init__()
        self.future = future


class NoThread(RuntimeError):  # noqa: N818 - the handler is not at fault
    """No thread could be started: the system refused, or the pool is closing."""


def call_of(handler: Handler | LoadedFunction, pool: Callable[[], Executor]) -> Call:
    """Wrap a handler into its middleware. `pool` provides the threads of plain functions."""
    function = handler.function
    if handler.style == "thread":
        inner = _in_threads(function, pool(), context=handler.context)
    elif handler.context:
        inner = function
    else:

        async def without_context(message: Any, _: Any) -> Any:  # noqa: ANN401 - whatever the handler takes and returns
            return await function(message)

        inner = without_context
    return with_middleware(inner, handler.middleware)


def _in_threads(function: Callable[..., Any], pool: Executor, *, context: bool) -> Call:
    async def call(message: Any, context_argument: Any) -> Any:  # noqa: ANN401 - as above
        arguments = (message, context_argument) if context else (message,)
        variables = contextvars.copy_context()
        try:
            future = asyncio.get_running_loop().run_in_executor(
                pool, variables.run, _call_function, function, *arguments
            )
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
            raise TypeError("a plain function returned a coroutine; declare the handler with `async def`")
        return result

    return call


def _call_function(function: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401 - as above
    try:
        return function(*arguments)
    except StopIteration as error:  # a future cannot hold it, and the attempt would never end
        raise RuntimeError("the handler raised StopIteration") from error
