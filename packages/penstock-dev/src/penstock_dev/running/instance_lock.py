"""Allows one `penstock dev` per repository, and provides the folder for the files of its processes."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from penstock_spec.findings import CannotGoOn

FOLDER = Path(".penstock", "dev")
LOCK, WORKERS = "lock", "workers"


@contextmanager
def instance_lock(folder: Path) -> Iterator[Path]:
    """An empty folder, locked: two instances would scale each other's workers. Raises CannotGoOn."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            pid = lock.read().strip()
            raise CannotGoOn(
                f"another `penstock dev` is running in this repository{f' (pid {pid})' if pid else ''}",
                "use that one, or stop it; `penstock status --embedded` shows its pipelines",
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        files = folder / WORKERS
        shutil.rmtree(files, ignore_errors=True)  # left by a killed instance
        files.mkdir()
        try:
            yield files
        finally:
            shutil.rmtree(files, ignore_errors=True)
            lock.truncate(0)
