"""Finds changed files by size and modification time, which works on every platform and file system."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from enum import Flag, auto
from pathlib import Path

EXCLUDED = frozenset({"node_modules", "__pycache__", "build", "dist", "generated"})
"""Folders without handwritten files; hidden folders are excluded as well."""
CODE, SPECS = frozenset({".py"}), frozenset({".yaml", ".yml", ".json", ".j2"})

Stamps = dict[str, tuple[int, int]]


class Changes(Flag):
    """Which kinds of files have changed."""

    NOTHING = 0
    CODE = auto()
    SPECS = auto()


class FileWatcher:
    """Watches the code, specs and templates below some folders."""

    def __init__(self, folders: Iterable[Path]) -> None:
        """Take the current files as the baseline."""
        resolved = sorted({folder.resolve() for folder in folders}, key=lambda one: len(one.parts))
        self._folders = [one for one in resolved if not any(other in one.parents for other in resolved)]
        self._last = self._stamps()

    def changed(self) -> Changes:
        """Changes since the last call."""
        before, self._last = self._last, self._stamps()
        names = {name for name, _ in self._last.items() ^ before.items()}
        return _kinds(names)

    def _stamps(self) -> Stamps:
        return dict(pair for folder in self._folders for pair in _below(str(folder)))


def _below(top: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for here, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name not in EXCLUDED and not name.startswith(".")]
        for name in names:
            if os.path.splitext(name)[1] not in CODE | SPECS:  # noqa: PTH122 - speed: thousands of files, every second
                continue
            path = f"{here}/{name}"
            try:
                stat = os.stat(path)  # noqa: PTH116 - as above
            except OSError:  # deleted meanwhile
                continue
            yield path, (stat.st_mtime_ns, stat.st_size)


def _kinds(names: Iterable[str]) -> Changes:
    changes = Changes.NOTHING
    for name in names:
        changes |= Changes.CODE if name.endswith(".py") else Changes.SPECS
    return changes
