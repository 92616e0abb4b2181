"""The processor time that each command costs a server.

SLOWLOG reports elapsed time; on a busy machine that is mostly the time of other processes. The kernel reports how long
a thread really ran, exact as soon as it sleeps again; but a virtual machine that is paused itself for a moment does not
notice that. So one of every twenty calls of a command is ignored, two at most: a costly command is costly more often.

A shared processor also runs the same code more slowly at times. So a loop of known cost is measured between the other
commands, and bounds grow with it.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from statistics import median

from lua_keys import files
from servers import wait_for

from penstock.scripts import script
from penstock.wire.command import Argument
from penstock.wire.errors import Reply
from penstock.wire.link import Link
from penstock.wire.route import Route

LOOP = "local t = {} for i = 1, 5000 do t[#t + 1] = tostring(i) end return #table.concat(t, ' ')"
"""Strings and a table, as in scripts."""
LOOP_MS = 1.6
"""What the loop costs on the machine for which bounds are chosen."""
LOOP_NAME = "a loop in Lua"
LOOP_EVERY = 20
"""Calls for each measurement of the loop."""


class Meter:
    """Collects the costs of each command and script, in ms."""

    def __init__(self, pid: int) -> None:
        self._process = Path(f"/proc/{pid}")
        self._costs: dict[str, list[float]] = defaultdict(list)

    @property
    def worst(self) -> dict[str, float]:
        """The highest cost of each, without the ignored calls."""
        return {name: sorted(costs)[-1 - min(2, len(costs) // 20)] for name, costs in self._costs.items()}

    def over(self, bound: float) -> dict[str, float]:
        """The commands that cost more than this many ms where the loop costs `LOOP_MS`; and what they cost here."""
        here = bound * max(1.0, median(self._costs[LOOP_NAME]) / LOOP_MS)
        return {name: ms for name, ms in self.worst.items() if ms > here and name != LOOP_NAME}

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
        self._calls = 0
        self._scripts = {script(path.stem, path.parent).sha: path.stem for path in files()}

    async def call(self, *command: Argument, wait: float = 0.0, most: int | None = None) -> Reply:
        if self._calls % LOOP_EVERY == 0:
            before = self._meter.ran()
            await super().call("EVAL", LOOP, 0)
            self._meter.add(LOOP_NAME, self._meter.ran() - before)
        self._calls += 1
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
