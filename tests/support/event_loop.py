"""Runs a coroutine on an event loop, with a time limit, and waits for conditions within it.

`PENSTOCK_TEST_LOOP=uvloop` uses the event loop of pods; the default is asyncio's, which reports what is left open.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine
from typing import TypeVar

import uvloop
from hiredis import HiredisError
from patience import HANGS, PATIENCE

from penstock.wire.errors import RedisTrouble

LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": uvloop.new_event_loop,
}
T = TypeVar("T")


def run_async(scenario: Coroutine[object, object, T], *, seconds: float = HANGS) -> T:
    """Run a scenario on a new event loop. One that hangs fails."""

    async def within() -> T:
        async with asyncio.timeout(seconds):
            return await scenario

    with asyncio.Runner(loop_factory=LOOPS[os.environ.get("PENSTOCK_TEST_LOOP", "asyncio")]) as runner:
        return runner.run(within())


async def until(
    condition: Callable[[], object | Awaitable[object]], description: str, *, seconds: float = PATIENCE
) -> None:
    """Wait until a condition holds. An unreachable Redis, or an error from it, counts as "not yet"."""
    trouble: Exception | None = None
    try:
        async with asyncio.timeout(seconds):
            while True:
                try:
                    holds = condition()
                    if await holds if isinstance(holds, Awaitable) else holds:
                        return
                except (RedisTrouble, HiredisError, OSError) as error:
                    trouble = error
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(f"not within {seconds:g} s: {description}") from trouble
