"""A real memory limit for a process and everything that it starts: a cgroup, or a watcher that kills.

Where this machine lets a test create a cgroup, the kernel enforces the limit. Elsewhere a thread sums up the memory of
the process tree, counting shared pages once, and kills the whole tree above the limit, as the kernel does in a pod. It
then also writes the files of a cgroup, so that a worker can read its limit.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import uuid
from pathlib import Path
from types import TracebackType
from typing import Self

from servers import wait_for

OWN = Path("/proc/self/cgroup")
EVERY = 0.01


class MemoryLimit:
    """Limits the processes that are started with `command`. `peak` and `kills` tell what happened."""

    def __init__(self, limit: int, folder: Path) -> None:
        """`folder` is for the files of the watcher."""
        self.limit = limit
        self.peak = 0
        self.kills = 0
        self._folder = folder / "cgroup"
        self._group = _new_group(limit)
        self._roots: set[int] = set()
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    @property
    def is_enforced_by_kernel(self) -> bool:
        return self._group is not None

    def __enter__(self) -> Self:
        if self._group is None:
            self._write_files(0)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.set()
        self._thread.join()
        if self._group is not None:
            self._kill(self._members())
            wait_for(lambda: not self._members(), "the group is empty")
            self._group.rmdir()

    def environ(self) -> dict[str, str]:
        """The environment by which a process joins, or finds the files of the watcher; see `limited_worker.py`."""
        if self._group is not None:
            return {"TEST_CGROUP": str(self._group / "cgroup.procs")}
        return {"TEST_CGROUP_FILES": str(self._folder)}

    def add(self, process: int) -> None:
        """Watch this process and everything that it starts."""
        self._roots.add(process)

    def _watch(self) -> None:
        while not self._ends.wait(EVERY):
            if self._group is not None:
                self.peak = int((self._group / _PEAK[_version(self._group)]).read_text())
                before, self.kills = self.kills, _kernel_kills(self._group)
                if self.kills > before:  # the first version kills one process, Kubernetes all
                    self._kill(self._members())
                continue
            trees = {root: _tree(root) for root in self._roots}
            used = sum(_memory(process) for tree in trees.values() for process in tree)
            self.peak = max(self.peak, used)
            self._write_files(used)
            if used > self.limit:
                self.kills += 1
                for tree in trees.values():
                    self._kill(tree)

    @staticmethod
    def _kill(processes: list[int]) -> None:
        for process in processes:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)

    def _members(self) -> list[int]:
        assert self._group is not None
        return [int(line) for line in (self._group / "cgroup.procs").read_text().split()]

    def _write_files(self, used: int) -> None:
        self._folder.mkdir(exist_ok=True)
        contents = {
            "cgroup.controllers": "memory\n",
            "membership": "0::/\n",
            "memory.max": f"{self.limit}\n",
            "memory.current": f"{used}\n",
            "memory.stat": "inactive_file 0\n",
        }
        for name, text in contents.items():
            (self._folder / f"{name}.new").write_text(text)
            (self._folder / f"{name}.new").replace(self._folder / name)


_LIMIT = {1: "memory.limit_in_bytes", 2: "memory.max"}
_PEAK = {1: "memory.max_usage_in_bytes", 2: "memory.peak"}


def _version(group: Path) -> int:
    return 1 if (group / _LIMIT[1]).exists() else 2


def _new_group(limit: int) -> Path | None:
    """A new cgroup below the one of this process; None if this machine does not allow it."""
    for line in OWN.read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers not in ("", "memory"):
            continue
        parent = Path("/sys/fs/cgroup", controllers) / path.strip("/")
        group = parent / f"penstock-test-{uuid.uuid4().hex[:8]}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / _LIMIT[_version(group)]).write_text(str(limit))
            with contextlib.suppress(OSError):
                (group / "memory.oom.group").write_text("1")
        except OSError:
            group.rmdir()
            continue
        return group
    return None


def _kernel_kills(group: Path) -> int:
    name = "memory.oom_control" if _version(group) == 1 else "memory.events"
    for line in (group / name).read_text().splitlines():
        key, _, value = line.partition(" ")
        if key == "oom_kill":
            return int(value)
    return 0


def _tree(root: int) -> list[int]:
    found = [root]
    for process in found:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{process}/task").iterdir():
                found += [int(child) for child in (task / "children").read_text().split()]
    return found


def _memory(process: int) -> int:
    """The proportional share of a process, in bytes: pages that several processes share count once in their sum."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
