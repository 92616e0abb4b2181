"""The processor time that each command costs a server.

SLOWLOG reports elapsed time; on a busy machine that is mostly the time of other processes. The kernel reports how long
a thread really ran, exact as soon as it sleeps again; but a virtual machine that is paused itself for a moment does not
notice that. So one of every twenty calls of a command is ignored, two at most: a costly command is costly more often.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from lua_keys import files
from servers import wait_for

from penstock.scripts import script
from penstock.wire.command import Argument
from penstock.wire.errors import Reply
from penstock.wire.link import Link
from penstock.wire.route import Route


class Meter:
    """Collects the costs of each command and script, in ms."""

    def __init__(self, pid: int) -> None:
        self._process = Path(f"/proc/{pid}")
        self._costs: dict[str, list[float]] = defaultdict(list)

    @property
    def worst(self) -> dict[str, float]:
        """The highest cost of each, without the ignored calls."""
        return {name: sorted(costs)[-1 - min(2, len(costs) // 20)] for name, costs in self._costs.items()}

    def ran(self) -> float:
        """Wait until the server's main thread sleeps; return how many ms it has run."""
        wait_for(self._sleeps, "the server sleeps")
        return int((self._process / "schedstat").read_text().split()[0]) / 1e6

    def _sleeps(self) -> bool:
        return (self._process / "stat").read_text().rpartition(")")[2].split()[0] == "S"

    def add(self, command: str, ms: float) -> None:
        self._costs[command].append(ms)

    def table(self) -> str:
        """A table for people, the most expensive first."""
        rows = sorted(self.worst.items(), key=lambda row: -row[1])
        calls = {command: len(costs) for command, costs in self._costs.items()}
        return "\n".join(f"{command:24} {calls[command]:6} calls, worst {ms:6.2f} ms" for command, ms in rows)

    def show(self) -> None:
        """Print the table, for `pytest -s` or a test that fails."""
        sys.stdout.write(f"\n{self.table()}\n")


class MeteredLink(Link):
    """A link that measures its commands."""

    def __init__(self, route: Route, meter: Meter) -> None:
        super().__init__(route, name="metered")
        self._meter = meter
        self._scripts = {script(path.stem, path.parent).sha: path.stem for path in files()}

    async def call(self, *command: Argument, wait: float = 0.0, most: int | None = None) -> Reply:
        before = self._meter.ran()
        try:
            return await super().call(*command, wait=wait, most=most)
        finally:
            name = str(command[0])
            if name == "EVALSHA":
                name = self._scripts[str(command[1])]
            elif name == "XINFO":
                name = f"XINFO {command[1]!s}"
            self._meter.add(name, self._meter.ran() - before)
