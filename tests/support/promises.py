"""Promises that take time: run to their end, or said to hang; and conditions to wait for within them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import TypeVar

SECONDS = 60.0
T = TypeVar("T")


def keep(promise: Coroutine[object, object, T], *, seconds: float = SECONDS) -> T:
    """Run a promise on a loop of its own. One that hangs is broken."""

    async def within() -> T:
        async with asyncio.timeout(seconds):
            return await promise

    return asyncio.run(within())


async def until(what: Callable[[], object | Awaitable[object]], says: str, *, seconds: float = SECONDS / 2) -> None:
    """Wait until it is so."""
    try:
        async with asyncio.timeout(seconds):
            while True:
                so = what()
                if await so if isinstance(so, Awaitable) else so:
                    return
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(f"not within {seconds:g} s: {says}") from None
