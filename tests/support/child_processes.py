"""A pool of child processes that ends with the test, and facts about processes from `/proc`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from event_loop import until

from penstock.isolation import JSON, ChildPool, ProgressReport, RunRequest, RunResult

PROGRAMS = str(Path(__file__).parents[1] / "runtime" / "isolation" / "programs")
"""The folder of `actions`, a handler whose messages say what to do to the process that runs them."""


class PoolDriver:
    """A child pool, with methods for what tests do to it."""

    def __init__(self, processes: ChildPool) -> None:
        """Number messages from 1."""
        self.processes = processes
        self.reports: list[ProgressReport] = []
        self._count = 0

    def deliver(self, do: str, **fields: str) -> RunRequest:
        """Make a message that says what to do."""
        self._count += 1
        encoded = [(b"do", do.encode()), *((name.encode(), value.encode()) for name, value in fields.items())]
        return RunRequest(b"%d-0" % self._count, tuple(encoded), 1, 1, "me")

    async def do(self, do: str, *, alone: bool = True, **fields: str) -> RunResult:
        """Run a message that says what to do."""
        return await self.run(self.deliver(do, **fields), alone=alone)

    async def run(self, delivery: RunRequest, *, alone: bool = True) -> RunResult:
        """Run a delivery."""
        return await self.processes.run(delivery, alone=alone, on_progress=self.reports.append)

    async def begin(
        self, do: str, *, alone: bool = True, **fields: str
    ) -> tuple[asyncio.Task[RunResult], RunRequest, int]:
        """Start a message that reports a process id, and wait for the report."""
        delivery = self.deliver(do, **fields)
        before = len(self.reports)
        task = asyncio.create_task(self.run(delivery, alone=alone))
        await until(lambda: len(self.reports) > before or task.done(), "the handler reports a process id")
        pid = self.reports[-1].value
        assert isinstance(pid, int)
        return task, delivery, pid

    def fork_server(self) -> int:
        """The process id of the fork server."""
        (pid,) = fork_servers()
        return pid


def stat_of(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` from the state on."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def is_alive(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    stat = stat_of(pid)
    return bool(stat) and stat[0] not in "ZX"


async def until_ended(*pids: int) -> None:
    """Wait until none of the processes is alive."""
    await until(lambda: not any(map(is_alive, pids)), f"{pids} have ended")


def command_of(pid: int) -> bytes:
    """The program of a process and its arguments."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def fork_servers() -> list[int]:
    """The fork servers that this process started."""
    return [pid for pid in children_of(os.getpid()) if b"penstock.isolation.fork_server" in command_of(pid)]


def children_of(pid: int) -> list[int]:
    """The children of a process, zombies included."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [one for one in pids if (stat := stat_of(one)) and int(stat[1]) == pid]


def open_files() -> set[str]:
    """The open file descriptors of this process."""
    return {path.name for path in Path("/proc/self/fd").iterdir()}


@asynccontextmanager
async def pool_driver(
    target: str = "actions:make",
    config: dict[str, JSON] | None = None,
    *,
    memory_limit: int | None = None,
    path: tuple[str, ...] = (PROGRAMS,),
    patience: float = 5.0,
) -> AsyncIterator[PoolDriver]:
    """Open a pool and close it at the end."""
    processes = ChildPool(target, config or {}, memory_limit=memory_limit, path=path, patience=patience)
    try:
        yield PoolDriver(processes)
    finally:
        await processes.close()
