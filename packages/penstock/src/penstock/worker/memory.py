"""Measures whether this worker's memory allows another process, so that a suspect does not kill the whole pod.

A pod is usually sized for one copy of the handler. A suspect in a child process needs up to three: the worker, the fork
server, which imports the handler again, and the child with its message. The kernel then kills the whole pod, and its
other messages become suspects as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from penstock.worker.suspect_pace import UNMEASURED

MEBIBYTE = 1 << 20
PROCESS = 8 * MEBIBYTE
"""What a child needs besides its message: pages that it shares with the fork server until one of them writes them."""
LEAST_GUESS = 16 * MEBIBYTE
NOISE = 8 * MEBIBYTE
"""A process may grow by this much without having run a message."""
READS = 64 * MEBIBYTE
"""The most bytes of one read or claim; less where memory is limited."""
LEAST_READ = MEBIBYTE

ROOT = Path("/sys/fs/cgroup")
MEMBERSHIP = Path("/proc/self/cgroup")
STATUS = Path("/proc/self/status")
MEMINFO = Path("/proc/meminfo")


class Memory(Protocol):
    """What a worker asks about its memory. Tests and simulations have their own."""

    def room_for_suspects(self, running: int, *, prepared: bool) -> int:
        """How many more suspects may run in child processes.

        `running` of them run already; `prepared`: the fork server has imported the handler.
        """

    def sample(self, running: int) -> None:
        """Record that this process runs this number of messages now."""

    def read_budget(self) -> int | None:
        """The most bytes of one read; None if memory is not limited."""


@dataclass(frozen=True, slots=True)
class Own:
    """The memory of this process, in bytes."""

    resident: int
    private: int
    """Without pages of files, which processes share."""
    peak: int
    """The highest `resident` so far."""


class MeasuredMemory:
    """Estimates from the limit of the process tree and from what this process has measured of itself.

    - The fork server needs as much as this process needed after it had imported the handler.
    - A message needs the growth of this process since then, divided by the most messages that it ran at a time; before
      the first message, a guess: as much as the import. `per_message`, a limit of the spec, replaces both.
    - This worker may grow again to its own peak.
    - Without a limit, suspects may use half of what the machine has available; others need the rest.
    """

    def __init__(
        self,
        free: Callable[[], int | None],
        own: Callable[[], Own | None],
        *,
        available: Callable[[], int | None] = lambda: None,
        per_message: int | None = None,
    ) -> None:
        """Create it after the handler is imported.

        `free` reads what the limit leaves; None without a limit. `available` reads what the machine has available.
        """
        self._free = free
        self._available = available
        self._own = own
        self._per_message = per_message
        self._base = own()
        self._most_running = 0

    def room_for_suspects(self, running: int, *, prepared: bool) -> int:
        """How many more suspects may run in child processes."""
        free, own, base = self._free(), self._own(), self._base
        if free is None and (available := self._available()) is not None:
            free = available // 2
        if free is None or own is None or base is None:
            return max(0, UNMEASURED - running)
        to_peak = max(0, own.peak - own.resident) if own.peak > base.peak else 0
        per_child = self._message(own, base) + PROCESS
        left = free - to_peak - running * per_child - (0 if prepared else base.private)
        return max(0, left // per_child)

    def sample(self, running: int) -> None:
        """Record how many messages run now."""
        self._most_running = max(self._most_running, running)

    def read_budget(self) -> int | None:
        """A quarter of the free memory: a body is there as received bytes, as a value and as parsed objects."""
        free = self._free()
        return None if free is None else min(READS, max(LEAST_READ, free // 4))

    def _message(self, own: Own, base: Own) -> int:
        if self._per_message is not None:
            return self._per_message
        grown = own.peak - base.resident if own.peak > base.peak else max(0, own.resident - base.resident)
        if self._most_running or grown > NOISE:
            return grown // max(1, self._most_running)
        return max(LEAST_GUESS, base.private)


def own_memory(status: Path = STATUS) -> Own | None:
    """Read the memory of this process; None where the system has no such file."""
    values = {"VmRSS": 0, "RssAnon": 0, "VmHWM": 0}
    try:
        lines = status.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, value = line.partition(":")
        if name in values:
            values[name] = int(value.split()[0]) * 1024
    return Own(values["VmRSS"], values["RssAnon"], values["VmHWM"])


def available_memory(meminfo: Path = MEMINFO) -> int | None:
    """Bytes that the machine has available; None where the system has no such file."""
    try:
        lines = meminfo.read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)


def free_memory(root: Path = ROOT, membership: Path = MEMBERSHIP) -> int | None:
    """Bytes that the tightest memory limit above this process leaves; None if there is none.

    Reads cgroups of both versions. Inactive pages of files count as free, as for Kubernetes: the kernel drops them.
    """
    if sys.platform != "linux":
        return None
    try:
        lines = membership.read_text().splitlines()
    except OSError:
        return None
    left: list[int] = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if not controllers and (root / "cgroup.controllers").exists():
            left += _left_above(root, path, ("memory.max", "memory.current", "inactive_file"))
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            left += _left_above(root / "memory", path, names)
    return min(left, default=None)


_NO_LIMIT = 1 << 60
"""The first version writes a number near 2^63 where there is no limit."""


def _left_above(root: Path, path: str, names: tuple[str, str, str]) -> list[int]:
    """The bytes that each limit leaves, from the group of this process up to the root.

    In a container, the root is often the container's own group, and the path does not exist below it.
    """
    limit_name, usage_name, reclaimable_name = names
    group = root / path.strip("/")
    left: list[int] = []
    for folder in (group, *group.parents):
        with suppress(OSError, ValueError):
            limit = (folder / limit_name).read_text().strip()
            if limit != "max" and int(limit) < _NO_LIMIT:
                usage = int((folder / usage_name).read_text())
                left.append(int(limit) - usage + _reclaimable(folder, reclaimable_name))
        if folder == root:
            break
    return left


def _reclaimable(folder: Path, name: str) -> int:
    for line in (folder / "memory.stat").read_text().splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0
