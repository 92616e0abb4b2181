"""Counts handlers that run on after their message was taken from them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol


class Shown(Protocol):
    """The metric."""

    def set(self, value: float, /) -> None:
        """Show this number."""


class AbandonedHandlers:
    """Abandoned handlers of a worker.

    One that must run alone keeps its worker from taking messages, because it may still crash the process. So after some
    time the process must end, or it would do nothing for ever.
    """

    def __init__(self, shown: Shown, patience: float, on_stuck: Callable[[], object]) -> None:
        """`on_stuck` is called when a handler that must run alone runs on for `patience` seconds."""
        self._shown = shown
        self._patience = patience
        self._on_stuck = on_stuck
        self._handlers: set[asyncio.Future[Any]] = set()
        self.alone = 0
        """Those that must run alone. May be read from any thread."""
        self.are_stuck = False
        """Whether this worker ends because of one of them."""

    def __len__(self) -> int:
        return len(self._handlers)

    def add(self, handler: asyncio.Future[Any], ended: Callable[[], object], *, alone: bool) -> None:
        """Count a handler until it ends; then call `ended`."""
        self._handlers.add(handler)
        self._shown.set(len(self))
        self.alone += alone
        timer = handler.get_loop().call_later(self._patience, self._give_up) if alone else None

        def has_ended(_: asyncio.Future[Any]) -> None:
            self._handlers.discard(handler)
            self._shown.set(len(self))
            self.alone -= alone
            if timer is not None:
                timer.cancel()
            ended()

        handler.add_done_callback(has_ended)

    def _give_up(self) -> None:
        self.are_stuck = True
        self._on_stuck()
