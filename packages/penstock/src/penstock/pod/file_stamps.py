"""Detects files that change while a pod runs."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class FileStamp(NamedTuple):
    """A value that differs if the content of the file may differ."""

    inode: int
    modified_ns: int
    size: int


def stamp(path: Path) -> FileStamp:
    """The stamp of a file, or of a link's target: Kubernetes switches links in mounted ConfigMaps. Raises OSError."""
    status = path.stat()
    return FileStamp(status.st_ino, status.st_mtime_ns, status.st_size)
