"""Wall clocks that are wrong or jump: only Redis time counts, and monotonic time inside a process."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path

from servers import Server
from shifted_clocks import OwnClock, ShiftedClock, ShiftedServer, compiler

from .account import Facts
from .family import Family
from .of_processes import ALL
from .storm import Storm
from .supervised import Around

HOUR = 3600.0
JUMP = 600.0
"""Seconds by which the clock of Redis jumps ahead, less than deduplication keys and results are kept."""
BACK = 2.0
"""Seconds by which it goes back. All due times are as much later, so this is short."""
SERVER_CLOCK = "redis"


def around(storm: Storm, role: str, number: int) -> Around:
    """Each process has a clock of its own."""
    clock = ShiftedClock(storm.folder, f"{role}-{number}")
    clock.set((HOUR, -HOUR, 0)[number % 3])
    storm.clocks.append(clock)
    return Around(clock.environ())


def processes(storm: Storm) -> None:
    """Clocks an hour ahead, an hour behind, and jumping; those of senders jump, too. Workers are killed meanwhile."""
    end = storm.faults_last()
    with OwnClock() as own:
        while time.monotonic() < end:
            storm.pause(0.2, 1.5)
            clocks: list[OwnClock | ShiftedClock] = [own, *storm.clocks]
            storm.rng.choice(clocks).set(storm.rng.choice((HOUR, -HOUR, 0.0)))
            if storm.rng.random() < 0.3:
                storm.rng.choice(storm.places).kill()


def server(folder: Path, ends: ExitStack) -> Server:
    return ends.enter_context(ShiftedServer(ShiftedClock(folder, SERVER_CLOCK), appendonly=True))


def redis(storm: Storm) -> None:
    """The clock of Redis jumps ahead by ten minutes, three times, and back by two seconds each time after."""
    clock, now = ShiftedClock(storm.folder, SERVER_CLOCK), 0.0
    for _ in range(3):
        for step in (JUMP, -BACK):
            storm.pause(2, 5)
            now += step
            clock.set(now)
        storm.rng.choice(storm.workers).kill()
    storm.pause(2, 4)


def missing() -> str:
    return "" if compiler() else "a C compiler"


def is_shifted(storm: Storm, facts: Facts) -> list[str]:
    """Logs must show that the clocks were wrong: otherwise the storm proves nothing."""
    del facts
    hours = {str(line["timestamp"])[:13] for process in storm.trial.processes for line in process.lines()}
    return [] if len(hours) >= 3 else [f"the storm shifted no clock: logs have {sorted(hours)}"]


FAMILIES = (
    Family(
        "clocks",
        "Sets the wall clocks of workers, janitors and senders an hour ahead or behind at random, and kills processes.",
        f"{ALL}; P5 no delayed message runs early",
        processes,
        kinds={"later": 4},
        around=around,
        missing=missing,
        checks=is_shifted,
    ),
    Family(
        "redis-clock",
        "Lets the clock of Redis jump ahead by 10 minutes and back by 2 s, three times, and kills workers.",
        f"{ALL}; living workers keep their leases or join again",
        redis,
        kinds={"soon": 4},
        server=server,
        missing=missing,
    ),
)
