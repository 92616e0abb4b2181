"""The terminal screen of `penstock dev`: what is seen goes in, keys come out; it starts, measures and decides nothing.

What `app` and its widgets show is made by functions of values. Colours are the terminal's own sixteen, and nothing is
said by colour alone, so that light and dark terminals, those without colour and those far away show the same.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TextIO

from penstock_dev.control import Control
from penstock_dev.snapshot import SnapshotSource


def can_show(environ: Mapping[str, str], *streams: TextIO | None) -> bool:
    """Whether there is a terminal on which lines can be drawn over; else there is `--plain`.

    All three streams count: keys come from standard input, and it is standard error that Textual draws on.
    """
    on_terminal = all(one is not None and not one.closed and one.isatty() for one in streams)
    return on_terminal and environ.get("TERM", "dumb") not in {"", "dumb", "unknown"}


async def show(source: SnapshotSource, control: Control) -> None:
    """Until somebody quits. The terminal is given back as it was, also when this is cancelled, or raises a fault."""
    from penstock_dev.screen.app import DevScreen  # noqa: PLC0415 - Textual takes a while to load

    # Where a shell has exported the size that its window had once, Textual would believe it after every resize.
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)
    screen = DevScreen(source, control)
    await screen.run_async(mouse=False)
    if screen.broken:
        raise screen.broken
