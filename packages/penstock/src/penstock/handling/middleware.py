"""Wraps a handler in its middleware."""

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
    """Wrap a handler in its middleware, the first one outermost; without middleware, return the handler."""
    for one in reversed(middleware):
        handler = _layer(handler, one)
    return handler


def _layer(inner: Call, middleware: Middleware) -> Call:
    kind = type(middleware)
    before = middleware.before if kind.before is not Middleware.before else None
    after = middleware.after if kind.after is not Middleware.after else None
    has_on_error = kind.on_error is not Middleware.on_error

    async def call(message: Any, context: Any) -> Any:  # noqa: ANN401 - whatever the handler takes and returns
        if before is not None:
            await before(message, context)
        try:
            result = await inner(message, context)
        except Exception as error:
            if has_on_error:
                await _call_on_error(middleware, message, context, error)
            raise
        if after is not None:
            await after(message, context, result)
        return result

    return call


async def _call_on_error(middleware: Middleware, message: Any, context: Any, error: Exception) -> None:  # noqa: ANN401 - as above
    try:
        await middleware.on_error(message, context, error)
    except Exception as secondary:  # noqa: BLE001 - the attempt's own error counts
        log.event(Event.MIDDLEWARE_FAILED, secondary, middleware=type(middleware).__qualname__)
