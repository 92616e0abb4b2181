"""A screen in a terminal whose keys raise what nobody had thought of; and whoever showed it, who is told."""

from __future__ import annotations

import asyncio
import sys

from dev_snapshots import FakeControls

from penstock_dev.screen import show

if __name__ == "__main__":
    controls = FakeControls(raises=ZeroDivisionError("a fault of our own"))
    try:
        asyncio.run(show(controls.source, controls))
    except ZeroDivisionError as error:
        sys.stdout.write(f"told: {error}\n")
