"""Which files of the repository have changed: seen by their size and time, as nothing tells of it everywhere."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from enum import Flag, auto
from pathlib import Path

LEFT_OUT = frozenset({"node_modules", "__pycache__", "build", "dist", "generated"})
"""Folders in which nothing is written by hand; those that begin with a dot are left out as well."""
CODE, SPECS = frozenset({".py"}), frozenset({".yaml", ".yml", ".json"})

Stamps = dict[str, tuple[int, int]]


class Changes(Flag):
    """What has."""

    NOTHING = 0
    CODE = auto()
    SPECS = auto()


class FileWatcher:
    """Code and specs below these folders."""

    def __init__(self, folders: Iterable[Path]) -> None:
        """As they are now is how they were."""
        found = sorted({folder.resolve() for folder in folders}, key=lambda one: len(one.parts))
        self._folders = [one for one in found if not any(other in one.parents for other in found)]
        self._last = self._stamps()

    def changed(self) -> Changes:
        """Since it was asked last."""
        before, self._last = self._last, self._stamps()
        names = {name for name, _ in self._last.items() ^ before.items()}
        return _kinds(names)

    def _stamps(self) -> Stamps:
        return dict(pair for folder in self._folders for pair in _below(str(folder)))


def _below(top: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for here, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name not in LEFT_OUT and not name.startswith(".")]
        for name in names:
            if os.path.splitext(name)[1] not in CODE | SPECS:  # noqa: PTH122 - there may be thousands, every second
                continue
            path = f"{here}/{name}"
            try:
                told = os.stat(path)  # noqa: PTH116 - as above
            except OSError:  # it went away just now
                continue
            yield path, (told.st_mtime_ns, told.st_size)


def _kinds(names: Iterable[str]) -> Changes:
    found = Changes.NOTHING
    for name in names:
        found |= Changes.CODE if name.endswith(".py") else Changes.SPECS
    return found
