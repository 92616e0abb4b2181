"""How much memory a child may take.

RLIMIT_DATA counts what a process can write to and shares with nobody. RLIMIT_AS would count addresses too: 8 threads
reserve half a gigabyte of them and use none. The stack of a thread counts in both, with 8 MiB. The limit is set above
what a child has when it starts, which is the handler's imports and mostly shared between children.
"""

from __future__ import annotations

import contextlib
import resource
import sys
from pathlib import Path

_MORE_LIKELY = 100
"""Thousandths of the memory there is."""


class MemoryLimit:
    """A limit for this process while a handler runs: to hear a message, or to tell how it ended, there is none."""

    def __init__(self, more: int | None) -> None:
        """Allow so many bytes more than there are now; None is no limit."""
        self._hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        self._most = self._hard
        if more is not None and sys.platform == "linux":
            self._most = _data() + more
            if self._hard != resource.RLIM_INFINITY:
                self._most = min(self._most, self._hard)

    def __enter__(self) -> None:
        """Set it."""
        self._set(self._most)

    def __exit__(self, *_: object) -> None:
        """Take it back."""
        self._set(self._hard)

    def _set(self, limit: int) -> None:
        if self._most != self._hard:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, self._hard))


def die_first() -> None:
    """Let the kernel, when memory runs out, choose this process rather than the worker."""
    if sys.platform != "linux":
        return
    file = Path("/proc/self/oom_score_adj")
    with contextlib.suppress(OSError, ValueError):
        file.write_text(str(min(1000, int(file.read_text()) + _MORE_LIKELY)))


def _data() -> int:
    for channel in Path("/proc/self/status").read_text().splitlines():
        name, _, value = channel.partition(":")
        if name == "VmData":
            return int(value.split()[0]) * 1024
    return 0
