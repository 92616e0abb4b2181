"""Run the tests on both event loops: asyncio's, and uvloop, which workers use where it is available."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import uvloop
from patience import HANGS


@pytest.fixture(params=["asyncio", "uvloop"])
def run_async(request: pytest.FixtureRequest) -> Callable[[Coroutine[Any, Any, None]], None]:
    """Run a test's coroutine to its end; one that hangs fails."""

    def run(scenario: Coroutine[Any, Any, None]) -> None:
        async def within() -> None:
            async with asyncio.timeout(HANGS):
                await scenario

        with asyncio.Runner(loop_factory=uvloop.new_event_loop if request.param == "uvloop" else None) as runner:
            runner.run(within())

    return run
