"""Runs a handler inside of its middleware."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from penstock.handling.declare import Middleware
from penstock.observe.events import Event
from penstock.observe.logs import Log

Call: TypeAlias = Callable[[Any, Any], Awaitable[Any]]
"""Takes a message and a context, and returns a result."""

log = Log(logging.getLogger(__name__))


def with_middleware(handler: Call, middleware: Sequence[Middleware]) -> Call:
    """Wrap a handler into its middleware, one layer around the other; without any it stays as it is."""
    for one in reversed(middleware):
        handler = _layer(handler, one)
    return handler


def _layer(inner: Call, around: Middleware) -> Call:
    kind = type(around)
    before = around.before if kind.before is not Middleware.before else None
    after = around.after if kind.after is not Middleware.after else None
    has_on_error = kind.on_error is not Middleware.on_error

    async def call(message: Any, context: Any) -> Any:  # noqa: ANN401 - whatever the handler takes and returns
        if before is not None:
            await before(message, context)
        try:
            result = await inner(message, context)
        except Exception as error:
            if has_on_error:
                await _call_on_error(around, message, context, error)
            raise
        if after is not None:
            await after(message, context, result)
        return result

    return call


async def _call_on_error(around: Middleware, message: Any, context: Any, error: Exception) -> None:  # noqa: ANN401 - as above
    try:
        await around.on_error(message, context, error)
    except Exception as secondary:  # noqa: BLE001 - the error of the attempt counts
        log.event(Event.MIDDLEWARE_FAILED, secondary, middleware=type(around).__qualname__)
