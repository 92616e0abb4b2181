"""Atomic changes of `generated/`: after an interruption the next run finds the old tree or completes the new one.

New files are staged in a folder of their own. Until the plan file exists nothing has changed, and the next run discards
the staged files. Once it exists the change is committed: moving the files takes milliseconds, during which signals are
blocked, and after a crash the next process that opens the tree completes the move.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

STAGE = ".penstock-writing"
_NEW = "new"
_PLAN = "plan.json"
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def opened(root: Path) -> Iterator[None]:
    """Lock the tree for this process, and complete or discard a change that was interrupted."""
    root.mkdir(parents=True, exist_ok=True)
    folder = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # a second process waits; the lock ends with its holder
        stage = root / STAGE
        if (stage / _PLAN).exists():
            _carry_out(root)
        elif stage.exists():
            shutil.rmtree(stage)
        yield
    finally:
        os.close(folder)


class Change:
    """A change of a tree that is `opened`. Nothing happens to the tree before `commit`."""

    def __init__(self, root: Path) -> None:
        """A change of the tree at `root`."""
        self._root = root
        self._new = root / STAGE / _NEW

    def __enter__(self) -> Self:
        """Start it. Forks of this process may stage files too."""
        return self

    def __exit__(self, *error: object) -> None:
        """Discard what was staged and not committed."""
        if not (self._root / STAGE / _PLAN).exists():
            shutil.rmtree(self._root / STAGE, ignore_errors=True)

    def stage(self, path: str, content: bytes) -> os.stat_result:
        """Stage a file. Its metadata stays the same if it is moved together with its folder."""
        target = f"{self._new}/{path}"
        try:
            return write(target, content)
        except FileNotFoundError:
            os.makedirs(target.rpartition("/")[0], exist_ok=True)  # noqa: PTH103 - there are thousands
            return write(target, content)

    def commit(self, removed: Iterable[str]) -> None:
        """Move all staged files into the tree and remove these paths: all or nothing."""
        self._new.mkdir(parents=True, exist_ok=True)
        plan = self._root / STAGE / "plan"
        plan.write_text(json.dumps({"removed": [*removed]}))
        with _signals_blocked():
            plan.replace(self._root / STAGE / _PLAN)  # the point of no return
            _carry_out(self._root)


def write(path: str, content: bytes) -> os.stat_result:
    """Write a new file with as few system calls as possible."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    try:
        while content:
            content = content[os.write(file, content) :]
        return os.fstat(file)
    finally:
        os.close(file)


def _carry_out(root: Path) -> None:
    stage = root / STAGE
    plan = json.loads((stage / _PLAN).read_text())
    for path in plan["removed"]:
        with contextlib.suppress(FileNotFoundError):
            (root / path).unlink()
        _drop_empty(root, (root / path).parent)
    if (stage / _NEW).exists():
        _move(os.fspath(stage / _NEW), os.fspath(root))
    shutil.rmtree(stage)


def _move(new: str, target: str) -> None:
    """Move a folder in one call if the target does not exist, else entry by entry."""
    with os.scandir(new) as entries:
        for entry in entries:
            path = os.path.join(target, entry.name)  # noqa: PTH118 - there are thousands
            if entry.is_dir() and os.path.isdir(path):  # noqa: PTH112 - as above
                _move(entry.path, path)
            else:
                os.replace(entry.path, path)  # noqa: PTH105 - as above


def _drop_empty(root: Path, folder: Path) -> None:
    """Remove a folder and its parents while they are empty."""
    while folder != root:
        try:
            folder.rmdir()
        except OSError:  # not empty, or gone
            return
        folder = folder.parent


@contextlib.contextmanager
def _signals_blocked() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
