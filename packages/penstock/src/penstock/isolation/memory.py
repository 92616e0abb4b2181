"""Limits the memory of a child.

RLIMIT_DATA counts private, writable memory. RLIMIT_AS would also count addresses: 8 threads reserve half a gigabyte of
them and use none. The stack of a thread counts in both, with 8 MiB. The limit is added to the memory that a child has
when it starts: the handler's imports, mostly shared between children.
"""

from __future__ import annotations

import contextlib
import resource
import sys
from pathlib import Path

_MORE_LIKELY = 100
"""Added to the process's score for the kernel's out-of-memory killer, in thousandths of the machine's memory."""


class MemoryLimit:
    """Limits this process while a handler runs, but not while it receives a message or sends an outcome."""

    def __init__(self, more: int | None) -> None:
        """Allow `more` bytes in addition to the current use; None is no limit."""
        self._hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        self._most = self._hard
        if more is not None and sys.platform == "linux":
            self._most = _data() + more
            if self._hard != resource.RLIM_INFINITY:
                self._most = min(self._most, self._hard)

    def __enter__(self) -> None:
        """Set the limit."""
        self._set(self._most)

    def __exit__(self, *_: object) -> None:
        """Remove the limit."""
        self._set(self._hard)

    def _set(self, limit: int) -> None:
        if self._most != self._hard:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, self._hard))


def die_first() -> None:
    """Make the kernel kill this process before the worker when memory runs out."""
    if sys.platform != "linux":
        return
    file = Path("/proc/self/oom_score_adj")
    with contextlib.suppress(OSError, ValueError):
        file.write_text(str(min(1000, int(file.read_text()) + _MORE_LIKELY)))


def _data() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == "VmData":
            return int(value.split()[0]) * 1024
    return 0
