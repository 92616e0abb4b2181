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
    """A limit for this process, which can be taken back to tell that it was reached."""

    def __init__(self, more: int | None) -> None:
        """Allow so many bytes more than there are now; None is no limit."""
        self._hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        if more is None or sys.platform != "linux":
            return
        limit = _data() + more
        if self._hard != resource.RLIM_INFINITY:
            limit = min(limit, self._hard)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, self._hard))

    def lift(self) -> None:
        """Take it back."""
        resource.setrlimit(resource.RLIMIT_DATA, (self._hard, self._hard))


def die_first() -> None:
    """Let the kernel, when memory runs out, choose this process rather than the worker."""
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
