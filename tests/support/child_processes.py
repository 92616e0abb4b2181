"""Children of a worker that end with the test, and what the system tells of processes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from event_loop import until

from penstock.isolation import JSON, ChildPool, ProgressReport, RunRequest, RunResult

PROGRAMS = str(Path(__file__).parents[1] / "runtime" / "isolation" / "programs")
"""Where `doing` lies, whose messages say what is done to the process that runs them."""


class PoolDriver:
    """Processes, with words for what the tests do to them."""

    def __init__(self, processes: ChildPool) -> None:
        """Count messages from 1."""
        self.processes = processes
        self.reports: list[ProgressReport] = []
        self._count = 0

    def deliver(self, do: str, **fields: str) -> RunRequest:
        """Make a message that says what to do."""
        self._count += 1
        said = [(b"do", do.encode()), *((name.encode(), value.encode()) for name, value in fields.items())]
        return RunRequest(b"%d-0" % self._count, tuple(said), 1, 1, "me")

    async def do(self, do: str, *, alone: bool = True, **fields: str) -> RunResult:
        """Have it done."""
        return await self.run(self.deliver(do, **fields), alone=alone)

    async def run(self, delivery: RunRequest, *, alone: bool = True) -> RunResult:
        """Run a delivery."""
        return await self.processes.run(delivery, alone=alone, on_progress=self.reports.append)

    async def begin(
        self, do: str, *, alone: bool = True, **fields: str
    ) -> tuple[asyncio.Task[RunResult], RunRequest, int]:
        """Begin something that tells a process number, and wait until it is told."""
        delivery = self.deliver(do, **fields)
        before = len(self.reports)
        task = asyncio.create_task(self.run(delivery, alone=alone))
        await until(lambda: len(self.reports) > before or task.done(), "it has begun")
        pid = self.reports[-1].value
        assert isinstance(pid, int)
        return task, delivery, pid

    def fork_server(self) -> int:
        """The process number of the fork server."""
        (found,) = fork_servers()
        return found


def stat_of(pid: int) -> list[str]:
    """What the system tells of a process, from its state on."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def is_alive(pid: int) -> bool:
    """It is there, and no zombie."""
    stat = stat_of(pid)
    return bool(stat) and stat[0] not in "ZX"


async def until_ended(*pids: int) -> None:
    """Wait until none of them is alive."""
    await until(lambda: not any(map(is_alive, pids)), f"{pids} have ended")


def command_of(pid: int) -> bytes:
    """Its program and arguments."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def fork_servers() -> list[int]:
    """Those of this process."""
    return [pid for pid in children_of(os.getpid()) if b"penstock.isolation.fork_server" in command_of(pid)]


def children_of(pid: int) -> list[int]:
    """Processes whose parent this is, zombies too."""
    numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [one for one in numbers if (stat := stat_of(one)) and int(stat[1]) == pid]


def open_files() -> set[str]:
    """Those of this process."""
    return {path.name for path in Path("/proc/self/fd").iterdir()}


@asynccontextmanager
async def pool_driver(
    target: str = "doing:make",
    config: dict[str, JSON] | None = None,
    *,
    memory_limit: int | None = None,
    path: tuple[str, ...] = (PROGRAMS,),
    patience: float = 5.0,
) -> AsyncIterator[PoolDriver]:
    """Processes that are closed at the end."""
    processes = ChildPool(target, config or {}, memory_limit=memory_limit, path=path, patience=patience)
    try:
        yield PoolDriver(processes)
    finally:
        await processes.close()
