"""Shows a screen while its terminal exists: one snapshot, and another as soon as a file exists.

It appends a letter to a file whenever it reads the snapshot.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from dev_snapshots import AGENTS, SNAPSHOT, FakeControls

from penstock_dev.screen import show
from penstock_dev.snapshot import Snapshot

if __name__ == "__main__":
    looks, other = map(Path, sys.argv[1:])

    def source() -> Snapshot:
        with looks.open("a") as file:
            file.write(".")
        return (
            replace(SNAPSHOT, specs=(replace(AGENTS, backlog=4711), *SNAPSHOT.specs[1:]))
            if other.exists()
            else SNAPSHOT
        )

    asyncio.run(show(source, FakeControls()))
