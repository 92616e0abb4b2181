"""One at a time in a repository, with a folder for what its processes read."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from penstock_spec.findings import CannotGoOn

KEPT = Path(".penstock", "dev")
LOCK, WORKERS = "lock", "workers"


@contextmanager
def instance_lock(folder: Path) -> Iterator[Path]:
    """A folder for files of ours, empty. Of two at once, one would scale what the other runs. Raises CannotGoOn."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a+") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            held.seek(0)
            pid = held.read().strip()
            raise CannotGoOn(
                f"another `penstock dev` runs in this repository{f', process {pid}' if pid else ''}",
                "look at that one, or end it; `penstock status --embedded` shows its pipelines anywhere",
            ) from None
        held.truncate(0)
        held.write(f"{os.getpid()}\n")
        held.flush()
        files = folder / WORKERS
        shutil.rmtree(files, ignore_errors=True)  # of one that was killed
        files.mkdir()
        try:
            yield files
        finally:
            shutil.rmtree(files, ignore_errors=True)
            held.truncate(0)
