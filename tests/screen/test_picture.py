"""The picture in the docs shows the screen as it is. `PENSTOCK_REWRITE_TRANSCRIPTS=1` redraws it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

from headless_screen import HeadlessScreen
from pictures import tidy

Show = Callable[..., None]
PICTURE = "docs/pictures/dev.svg"


def test_the_picture_is_what_the_screen_shows(root: Path, show: Show) -> None:
    """While a burst is processed, with its pipeline selected."""
    picture = root / PICTURE

    async def play(shown: HeadlessScreen) -> None:
        await shown.press("down", "right")
        await shown.until_shows("▸dev-1")
        await shown.pilot.pause()
        drawn = tidy(shown.app.export_screenshot(title="penstock dev --speed 10x"), "dev")
        if os.environ.get("PENSTOCK_REWRITE_TRANSCRIPTS"):
            picture.parent.mkdir(exist_ok=True)
            picture.write_text(drawn)
        assert drawn == picture.read_text()

    show(play, size=(100, 28))


def test_the_picture_loads_nothing(root: Path) -> None:
    """It names no host except in the SVG namespace, so readers of the docs are not tracked."""
    text = (root / PICTURE).read_text()
    assert set(re.findall(r"https?://[^\"' )]+", text)) == {"http://www.w3.org/2000/svg"}
    ET.fromstring(text)  # noqa: S314 - trusted
