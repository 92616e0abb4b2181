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

from penstock_generate import tree
from penstock_spec.forks import MANY, begun

SETTLED = 100_000_000
"""Nanoseconds: a file that was changed a moment ago may change again under the same time stamp."""

Looked = Callable[[], Mapping[str, str]]
"""The folders of a tree as it was found, and how each lies; whoever asks first may have to wait."""


def looked(root: Path) -> Looked:
    """At a tree that is `opened`, and that nobody changes before all is looked at."""
    look = partial(_all, root)
    return cache(begun(look) if len(list(root.glob("*/*"))) > MANY else look)


def _all(root: Path) -> dict[str, str]:
    return {folder: lying(root, folder) for folder in tree.folders(root)}


def lying(root: Path, folder: str) -> str:
    """How a folder lies on disk, without reading its files; nothing where that cannot be told yet."""
    told: list[str] = []
    newest = 0
    ways = [f"{root}/{folder}"]
    while ways:
        way = ways.pop()
        try:
            for name in sorted(os.listdir(way)):  # noqa: PTH208 - there are tens of thousands
                path = f"{way}/{name}"
                stat = os.lstat(path)
                if S_ISDIR(stat.st_mode):
                    ways.append(path)
                    continue
                written, changed = stat.st_mtime_ns, stat.st_ctime_ns
                newest = max(newest, written, changed)
                told.append(f"{path}\0{stat.st_size}\0{written}\0{changed}\0{stat.st_ino}")
        except OSError:
            return ""
    if newest > time.time_ns() - SETTLED:
        return ""
    return hashlib.blake2b("\0".join(told).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
