"""Promises that take time: run to their end, or said to hang; and conditions to wait for within them.

`PENSTOCK_TEST_LOOP=uvloop` runs them on the loop of a pod. Else it is asyncio's own, which tells of what is left open.
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
    """Run a promise on a loop of its own. One that hangs is broken."""

    async def within() -> T:
        async with asyncio.timeout(seconds):
            return await scenario

    with asyncio.Runner(loop_factory=LOOPS[os.environ.get("PENSTOCK_TEST_LOOP", "asyncio")]) as runner:
        return runner.run(within())


async def until(what: Callable[[], object | Awaitable[object]], says: str, *, seconds: float = PATIENCE) -> None:
    """Wait until it is so. A Redis that does not answer, or answers with an error, is not yet what it should be."""
    trouble: Exception | None = None
    try:
        async with asyncio.timeout(seconds):
            while True:
                try:
                    so = what()
                    if await so if isinstance(so, Awaitable) else so:
                        return
                except (RedisTrouble, HiredisError, OSError) as error:
                    trouble = error
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(f"not within {seconds:g} s: {says}") from trouble
