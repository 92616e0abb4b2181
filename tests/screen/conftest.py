"""Screens without a terminal, for tests of keys and content; `test_terminal` has a real one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC

import pytest
from dev_snapshots import FakeControls
from headless_screen import HeadlessScreen, Play

from penstock_dev.screen.app import DevScreen


@pytest.fixture
def show() -> Callable[..., None]:
    """Runs a test on a screen of this size."""

    def play(plays: Play, controls: FakeControls | None = None, size: tuple[int, int] = (80, 24)) -> None:
        async def run() -> None:
            at = controls or FakeControls()
            app = DevScreen(at.source, at, every=0.1, zone=UTC)
            async with app.run_test(size=size) as pilot:
                shown = HeadlessScreen(pilot, at)
                await pilot.pause()
                await plays(shown)

        asyncio.run(run())

    return play
