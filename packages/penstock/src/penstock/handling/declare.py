"""What a handler declares beside its name: middleware around each attempt, and what lives as long as its worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

Lifespan: TypeAlias = Callable[[], AbstractAsyncContextManager[Any]]
"""Entered before the first message, left after the last; usually an `@asynccontextmanager`."""

ATTRIBUTE = "__penstock__"

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


class Middleware:
    """Something around each attempt. Override what is needed; what is not costs nothing.

    Several stand like layers around the handler, the first outermost. Each is told how what it encloses has ended, by
    `after` or by `on_error`, if its own `before` has ended well. An attempt that is cancelled (by a timeout, a drain or
    a lost lease) is told to none: what must be closed belongs into an `async with` of the handler, or into its
    lifespan.
    """

    async def before(self, message: Any, context: Any) -> None:  # noqa: ANN401 - whatever the handler takes
        """Ahead of the handler. When it raises, the attempt has failed and the handler is not called."""

    async def after(self, message: Any, context: Any, result: Any) -> None:  # noqa: ANN401 - as above
        """When the handler has returned. When it raises, the attempt has failed."""

    async def on_error(self, message: Any, context: Any, error: Exception) -> None:  # noqa: ANN401 - as above
        """When the attempt has failed. What it raises itself is logged, and the first error counts."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What was declared."""

    middleware: tuple[Middleware, ...] = ()
    lifespan: Lifespan | None = None


def handler(
    *, middleware: Sequence[Middleware] = (), lifespan: Lifespan | None = None
) -> Callable[[FunctionT], FunctionT]:
    """Declare what belongs to a handler. The function stays what it is, to be called and tested as any other."""
    declared = Declaration(tuple(middleware), lifespan)

    def declare(function: FunctionT) -> FunctionT:
        setattr(function, ATTRIBUTE, declared)
        return function

    return declare
