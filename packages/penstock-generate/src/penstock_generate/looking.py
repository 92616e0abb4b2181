"""How a tree lies on disk, without reading its files: who made it last can tell whether anybody has touched it since.

There may be tens of thousands of files; looking at them takes as long as loading what makes them, so it is begun first.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from stat import S_ISDIR
from typing import NamedTuple, Self

from penstock_generate import tree
from penstock_spec.forks import MANY, begun

SETTLED = 100_000_000
"""Nanoseconds: a file that was changed a moment ago may change again under the same time stamp."""

Looked = Callable[[], Mapping[str, str]]
"""The folders of a tree as it was found, and how each lies; whoever asks first may have to wait."""


def looked(root: Path) -> Looked:
    """At a tree that is `opened`, and that nobody changes before all is looked at."""
    look = partial(_all, root)
    return cache(begun(look) if len(tree.candidates(root)) > MANY else look)


def _all(root: Path) -> dict[str, str]:
    return {folder: lying(root, folder) for folder in tree.folders(root)}


def lying(root: Path, folder: str) -> str:
    """How a folder lies on disk, without reading its files; nothing where that cannot be told yet."""
    found: dict[str, os.stat_result] = {}
    ways = [folder]
    while ways:
        way = ways.pop()
        try:
            for name in os.listdir(f"{root}/{way}"):  # noqa: PTH208 - there are tens of thousands
                path = f"{way}/{name}"
                stat = os.lstat(f"{root}/{path}")
                if S_ISDIR(stat.st_mode):
                    ways.append(path)
                else:
                    found[path] = stat
        except OSError:
            return ""
    return Lying.of(found).told()


class Lying(NamedTuple):
    """How files lie, as far as it does not hang on the moment of asking."""

    digest: str
    newest: int

    @classmethod
    def of(cls, found: Mapping[str, os.stat_result]) -> Self:
        """By paths from the tree on."""
        told = [
            f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\0{stat.st_ctime_ns}\0{stat.st_ino}"
            for path, stat in sorted(found.items())
        ]
        newest = max((max(stat.st_mtime_ns, stat.st_ctime_ns) for stat in found.values()), default=0)
        content = "\0".join(told).encode("utf-8", "surrogateescape")
        return cls(hashlib.blake2b(content, digest_size=16).hexdigest(), newest)

    def told(self) -> str:
        """Nothing where that cannot be told yet."""
        return "" if self.newest > time.time_ns() - SETTLED else self.digest
