"""Changing `generated/` as a whole: whatever interrupts it, what comes next finds the old tree or makes it the new one.

The new files are staged beside the tree, with a plan that says where each goes and what is removed. Until the plan is
there, nothing has happened, and what was staged is thrown away by the next run. From then on the change counts as made:
moving files takes milliseconds, in which signals have to wait, and whoever opens the tree after a crash finishes it
first.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

STAGE = ".penstock-writing"
PLAN = "plan.json"
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def opened(root: Path) -> Iterator[None]:
    """The tree for one process alone, and whole: a change that was interrupted is finished, or forgotten."""
    root.mkdir(parents=True, exist_ok=True)
    folder = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # whoever comes second waits; the lock ends with its process
        stage = root / STAGE
        if (stage / PLAN).exists():
            _carry_out(root)
        elif stage.exists():
            shutil.rmtree(stage)
        yield
    finally:
        os.close(folder)


def change(root: Path, contents: Mapping[str, bytes], removed: Iterable[str]) -> None:
    """Write these files and remove those, all or nothing. The tree is `opened`."""
    stage = root / STAGE
    stage.mkdir()
    try:
        moves = {}
        for number, (path, content) in enumerate(contents.items()):
            (stage / str(number)).write_bytes(content)
            moves[str(number)] = path
        (stage / "plan").write_text(json.dumps({"moves": moves, "removed": [*removed]}))
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        raise
    with _undisturbed():
        (stage / "plan").replace(stage / PLAN)  # from here on it is made
        _carry_out(root)


def _carry_out(root: Path) -> None:
    stage = root / STAGE
    plan = json.loads((stage / PLAN).read_text())
    for path in plan["removed"]:
        with contextlib.suppress(FileNotFoundError):
            (root / path).unlink()
        _drop_empty(root, (root / path).parent)
    for number, path in plan["moves"].items():
        with contextlib.suppress(FileNotFoundError):  # it was moved before the interruption
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (stage / number).replace(root / path)
    shutil.rmtree(stage)


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
