"""The terminal screen of `penstock dev`. It shows snapshots and returns keys; it starts, measures and decides nothing.

Pure functions render the content of `app` and its widgets. The screen uses the terminal's own sixteen colours, and
nothing depends on colour alone, so that light, dark, monochrome and remote terminals show the same.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TextIO

from penstock_dev.control import Control
from penstock_dev.snapshot import SnapshotSource


def can_show(environ: Mapping[str, str], *streams: TextIO | None) -> bool:
    """Whether the terminal can show the screen; if not, `--plain` applies.

    All three streams count: keys come from standard input, and Textual draws on standard error.
    """
    on_terminal = all(one is not None and not one.closed and one.isatty() for one in streams)
    return on_terminal and environ.get("TERM", "dumb") not in {"", "dumb", "unknown"}


async def show(source: SnapshotSource, control: Control) -> None:
    """Show the screen until the user quits. The terminal is restored, even on cancellation or an exception."""
    from penstock_dev.screen.app import DevScreen  # noqa: PLC0415 - Textual is slow to load

    # If the shell exports its former size, Textual would use that after every resize.
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)
    screen = DevScreen(source, control)
    await screen.run_async(mouse=False)
    if screen.fault:
        raise screen.fault
