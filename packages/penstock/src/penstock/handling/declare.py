"""The decorator that declares a handler's middleware and lifespan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

Lifespan: TypeAlias = Callable[[], AbstractAsyncContextManager[Any]]
"""Entered before the first message, exited after the last; usually an `@asynccontextmanager`."""

ATTRIBUTE = "__penstock__"

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


class Middleware:
    """Runs code around each attempt. Override the methods that you need; the others cost nothing.

    The first middleware is the outermost layer. After its `before` has succeeded, `after` or `on_error` reports how the
    inner layers ended. A cancelled attempt (by a timeout, a drain or a lost lease) calls neither: close resources in an
    `async with` of the handler, or in its lifespan.
    """

    async def before(self, message: Any, context: Any) -> None:  # noqa: ANN401 - the type that the handler takes
        """Run before the handler. If it raises, the attempt fails and the handler is not called."""

    async def after(self, message: Any, context: Any, result: Any) -> None:  # noqa: ANN401 - as above
        """Run when the handler has returned. If it raises, the attempt fails."""

    async def on_error(self, message: Any, context: Any, error: Exception) -> None:  # noqa: ANN401 - as above
        """Run when the attempt has failed. Its own exceptions are logged, and the first error counts."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What `@penstock.handler` declares."""

    middleware: tuple[Middleware, ...] = ()
    lifespan: Lifespan | None = None


def handler(
    *, middleware: Sequence[Middleware] = (), lifespan: Lifespan | None = None
) -> Callable[[FunctionT], FunctionT]:
    """Declare the middleware and the lifespan of a handler. Returns the function itself."""
    declared = Declaration(tuple(middleware), lifespan)

    def declare(function: FunctionT) -> FunctionT:
        setattr(function, ATTRIBUTE, declared)
        return function

    return declare
