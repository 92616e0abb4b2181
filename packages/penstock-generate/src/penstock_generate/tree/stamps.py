"""Stamps of generated folders: the sizes and times of their files, compared instead of their contents.

A tree can have tens of thousands of files. Reading their metadata takes as long as importing the generator, so both run
at the same time.
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

from penstock_generate.tree import compare
from penstock_spec.forks import MANY, start_in_fork

SETTLED = 100_000_000
"""Nanoseconds. A file that changed more recently may change again under the same time stamp."""

Stamps = Callable[[], Mapping[str, str]]
"""Returns the stamp of each folder; the first call may wait for them."""


def read_stamps(root: Path) -> Stamps:
    """Start reading the stamps of a tree that is `opened`. Nothing may change the tree before they are read."""
    read = partial(_stamps, root)
    return cache(start_in_fork(read) if len(compare.candidates(root)) > MANY else read)


def _stamps(root: Path) -> dict[str, str]:
    return {folder: stamp_of(root, folder) for folder in compare.folders(root)}


def stamp_of(root: Path, folder: str) -> str:
    """The stamp of a folder on disk; empty if the folder is unreadable or changed a moment ago."""
    stats: dict[str, os.stat_result] = {}
    pending = [folder]
    while pending:
        parent = pending.pop()
        try:
            for name in os.listdir(f"{root}/{parent}"):  # noqa: PTH208 - there are tens of thousands
                path = f"{parent}/{name}"
                stat = os.lstat(f"{root}/{path}")
                if S_ISDIR(stat.st_mode):
                    pending.append(path)
                else:
                    stats[path] = stat
        except OSError:
            return ""
    return FolderStamp.of(stats).settled()


class FolderStamp(NamedTuple):
    """The stamp of a set of files, and the time of the newest change among them."""

    digest: str
    newest: int

    @classmethod
    def of(cls, stats: Mapping[str, os.stat_result]) -> Self:
        """From metadata by path below the tree."""
        lines = [
            f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\0{stat.st_ctime_ns}\0{stat.st_ino}"
            for path, stat in sorted(stats.items())
        ]
        newest = max((max(stat.st_mtime_ns, stat.st_ctime_ns) for stat in stats.values()), default=0)
        content = "\0".join(lines).encode("utf-8", "surrogateescape")
        return cls(hashlib.blake2b(content, digest_size=16).hexdigest(), newest)

    def settled(self) -> str:
        """The digest; empty while a file changed so recently that its time stamp proves nothing."""
        return "" if self.newest > time.time_ns() - SETTLED else self.digest
