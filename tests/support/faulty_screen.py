"""Shows a screen whose keys raise an unexpected error, and prints the error that reaches the caller."""

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
        sys.stdout.write(f"raised: {error}\n")
