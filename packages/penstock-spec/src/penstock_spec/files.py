"""Read files as bytes, or return the problem. Only this module reads the files of a team."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from penstock_spec.findings import Span
from penstock_spec.reading import Problem
from penstock_spec.reading.source import LARGEST, decode


@dataclass(frozen=True, slots=True)
class File:
    """A file that was read, or the reason why not."""

    path: Path
    name: str
    raw: bytes | Problem

    def beside(self, relative: str) -> bytes | None:
        """The bytes of a file beside this one."""
        raw = read_bytes(self.path.parent / relative, relative)
        return raw if isinstance(raw, bytes) else None

    def lines(self) -> tuple[str, ...]:
        """The lines of the file."""
        return () if isinstance(self.raw, Problem) else decode(self.name, self.raw).lines


def read_bytes(path: Path, name: str, most: int | None = LARGEST + 1) -> bytes | Problem:
    """At most this many bytes of a file (None: all), or the problem."""
    at = Span(name, 1, 1, 1, 1)
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - there are thousands
        if stat.S_ISDIR(mode):
            os.scandir(path).close()  # raises if the folder is not readable
            return Problem("unreadable-file", at, "it is a folder", "name a file")
        if not stat.S_ISREG(mode):
            return Problem("unreadable-file", at, "it is not a regular file", "name a file")
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - as above
            return file.read(-1 if most is None else most)
    except FileNotFoundError:
        return Problem("unreadable-file", at, "there is no such file", "check the name")
    except PermissionError:
        return Problem("unreadable-file", at, "reading it is not permitted", f"allow it: `chmod +r {name}`")
    except (OSError, ValueError) as error:
        says = f"it cannot be read: {getattr(error, 'strerror', None) or error}"
        return Problem("unreadable-file", at, says, "check the name and the disk")


def digest(raw: bytes | None) -> str | None:
    """A hash of the content of a file; None for a file that cannot be read."""
    return None if raw is None else hashlib.blake2b(raw, digest_size=16).hexdigest()
