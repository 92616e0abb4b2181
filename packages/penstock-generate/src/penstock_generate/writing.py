"""Changing `generated/` as a whole: whatever interrupts it, what comes next finds the old tree or makes it the new one.

The new files are staged beside the tree, each where it will lie in it. Until there is a plan, nothing has happened, and
what was staged is thrown away by the next run. From then on the change counts as made: moving files takes milliseconds,
in which signals have to wait, and whoever opens the tree after a crash finishes it first.
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
    """The tree for one process alone, and whole: a change that was interrupted is finished, or forgotten."""
    root.mkdir(parents=True, exist_ok=True)
    folder = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # whoever comes second waits; the lock ends with its process
        stage = root / STAGE
        if (stage / _PLAN).exists():
            _carry_out(root)
        elif stage.exists():
            shutil.rmtree(stage)
        yield
    finally:
        os.close(folder)


class Change:
    """New files on their way into a tree that is `opened`. Nothing changes before it is made."""

    def __init__(self, root: Path) -> None:
        """Of this tree."""
        self._root = root
        self._new = root / STAGE / _NEW

    def __enter__(self) -> Self:
        """Forks of this process can put files as well."""
        return self

    def __exit__(self, *error: object) -> None:
        """What was not made is forgotten."""
        if not (self._root / STAGE / _PLAN).exists():
            shutil.rmtree(self._root / STAGE, ignore_errors=True)

    def put(self, path: str, content: bytes) -> os.stat_result:
        """A file as it will be. How it lies it will keep, where it is moved with its folder."""
        there = f"{self._new}/{path}"
        try:
            return write(there, content)
        except FileNotFoundError:
            os.makedirs(there.rpartition("/")[0], exist_ok=True)  # noqa: PTH103 - there are thousands
            return write(there, content)

    def make(self, removed: Iterable[str]) -> None:
        """Write all that was put, and remove these: all or nothing."""
        self._new.mkdir(parents=True, exist_ok=True)
        plan = self._root / STAGE / "plan"
        plan.write_text(json.dumps({"removed": [*removed]}))
        with _undisturbed():
            plan.replace(self._root / STAGE / _PLAN)  # from here on it is made
            _carry_out(self._root)


def write(there: str, content: bytes) -> os.stat_result:
    """A new file, with as few calls as there can be."""
    file = os.open(there, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
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


def _move(new: str, there: str) -> None:
    """A folder that is not there yet as a whole, else what is in it."""
    with os.scandir(new) as entries:
        for entry in entries:
            target = os.path.join(there, entry.name)  # noqa: PTH118 - there are thousands
            if entry.is_dir() and os.path.isdir(target):  # noqa: PTH112 - as above
                _move(entry.path, target)
            else:
                os.replace(entry.path, target)  # noqa: PTH105 - as above


def _drop_empty(root: Path, folder: Path) -> None:
    """Folders of which nothing is left."""
    while folder != root:
        try:
            folder.rmdir()
        except OSError:  # something is left in it, or it is gone
            return
        folder = folder.parent


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
