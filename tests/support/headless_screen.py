"""A screen without a terminal: press its keys and read its lines."""

from __future__ import annotations

import html
import re
from collections.abc import Awaitable, Callable
from typing import Any

from dev_snapshots import FakeControls
from textual.app import App
from textual.pilot import Pilot

PATIENCE = 1000
"""How often a test reads the screen before it gives up."""


class HeadlessScreen:
    """A screen whose keys a test presses and whose lines it reads."""

    def __init__(self, pilot: Pilot[Any], controls: FakeControls) -> None:
        self.pilot = pilot
        self.controls = controls
        self.app = pilot.app

    @property
    def lines(self) -> list[str]:
        return lines_of(self.app)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def until(self, condition: Callable[[list[str]], object]) -> list[str]:
        """Wait until the condition holds and the layout is stable; return the lines."""
        before: list[str] = []
        for _ in range(PATIENCE):
            lines = self.lines
            if lines == before and condition(lines):
                return lines
            before = lines
            await self.pilot.pause(0.02)
        raise AssertionError("\n".join(self.lines))

    async def until_shows(self, text: str) -> list[str]:
        return await self.until(lambda lines: text in "\n".join(lines))


Play = Callable[[HeadlessScreen], Awaitable[None]]


def lines_of(app: App[None]) -> list[str]:
    """The lines of a window, read from its screenshot."""
    lines: dict[int, str] = dict.fromkeys(range(app.size.height), "")
    piece = re.compile(r'<text class="\S+-r\d+" x="([\d.]+)" .*?clip-path="url\(\S+-line-(\d+)\)">(.*?)</text>')
    for x, number, text in piece.findall(app.export_screenshot()):
        column = round(float(x) / 12.2)
        before = lines.get(int(number), "")
        lines[int(number)] = before.ljust(column) + html.unescape(text).replace("\xa0", " ")
    return [lines[number].rstrip() for number in sorted(lines)]
