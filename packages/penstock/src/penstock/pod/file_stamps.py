"""Whether files have changed while a pod runs."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class FileStamp(NamedTuple):
    """Differs if the file may have another content."""

    inode: int
    modified_ns: int
    size: int


def stamp(path: Path) -> FileStamp:
    """Of the file that a link leads to: a mounted ConfigMap is a link that Kubernetes switches. Raises OSError."""
    status = path.stat()
    return FileStamp(status.st_ino, status.st_mtime_ns, status.st_size)
