"""Faults between processes and Redis."""

from __future__ import annotations

import time

from . import fault_proxy
from .family import Family
from .of_processes import ALL
from .storm import Storm


def cuts(storm: Storm) -> None:
    """Lose, hold, slow and cut replies of random processes; a sender, too."""
    end = storm.faults_last()
    threads = []
    while time.monotonic() < end:
        storm.pause(0.1, 0.8)
        threads.append(
            fault_proxy.beside(storm.rng.choice(fault_proxy.QUICK), storm.rng.choice(storm.cables), storm.rng)
        )
    for one in threads:
        one.join()
    for cable in storm.cables:
        cable.mend()


def partition(storm: Storm) -> None:
    """Black holes for a worker and the janitor that may lead, for longer than the lease."""
    for _ in range(2):
        chosen = (storm.rng.choice(storm.workers), storm.rng.choice(storm.janitors))
        cables = [place.cable for place in chosen if place.cable]
        threads = [fault_proxy.beside(fault_proxy.black_hole, cable, storm.rng) for cable in cables]
        for one in threads:
            one.join()


def half_open(storm: Storm) -> None:
    """The peers of all connections of some processes vanish without a word; new connections work at once."""
    end = storm.faults_last()
    while time.monotonic() < end:
        storm.pause(0.5, 3)
        for cable in storm.rng.sample(storm.cables, 2):
            cable.vanish()
        if storm.rng.random() < 0.3:
            storm.rng.choice(storm.workers).kill()


FAMILIES = (
    Family(
        "cuts",
        "Cuts connections after the request and before the reply, holds replies back, and slows links down.",
        f"{ALL}; one `send()` adds at most one entry",
        cuts,
        through_cables=True,
    ),
    Family(
        "partition",
        "Drops all packets of a worker and a janitor for longer than the lease, then cuts their connections.",
        ALL,
        partition,
        through_cables=True,
    ),
    Family(
        "half-open",
        "Lets the peers of open connections vanish for ever, without FIN or RST; new connections work. Kills workers.",
        f"{ALL}; one `send()` adds at most one entry",
        half_open,
        seconds=20.0,
        through_cables=True,
    ),
)
