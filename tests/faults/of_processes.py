"""Faults of workers and janitors themselves."""

from __future__ import annotations

import signal
import time

from .family import Family
from .storm import Storm
from .supervised import pause

LEASE = 10.0


def kill(storm: Storm) -> None:
    """SIGKILL at random, mostly to workers."""
    end = storm.faults_last()
    while time.monotonic() < end:
        storm.pause(0.3, 2.0)
        storm.rng.choice([*storm.workers, *storm.workers, *storm.janitors]).kill()


def stop(storm: Storm) -> None:
    """SIGSTOP of a worker and a janitor for longer than the lease, twice."""
    for _ in range(2):
        sleepers = [storm.rng.choice(storm.workers), storm.rng.choice(storm.janitors)]
        for one in sleepers:
            one.signal(signal.SIGSTOP)
        pause(LEASE + storm.rng.uniform(2, 6))
        for one in sleepers:
            one.signal(signal.SIGCONT)
        storm.pause(0.5, 2)


def drain(storm: Storm) -> None:
    """SIGTERM at random, sometimes followed by SIGKILL."""
    end = storm.faults_last()
    while time.monotonic() < end:
        storm.pause(0.5, 2.5)
        place = storm.rng.choice(storm.places)
        place.terminate()
        if storm.rng.random() < 0.3:
            storm.pause(0, 0.5)
            place.kill()


def nothing(storm: Storm) -> None:
    """Only the load of the storm, whose poison messages are the fault."""
    pause(storm.seconds)


ALL = "P1 nothing lost, P3 only owners settle, P4 attempts, P7 consumers, P8 no fence twice"

FAMILIES = (
    Family("kill", "SIGKILLs workers and janitors at random, every 0.3 to 2 s.", ALL, kill),
    Family("stop", "Suspends a worker and a janitor for longer than the lease, then resumes them.", ALL, stop),
    Family("drain", "SIGTERMs processes at random; a third of them gets a SIGKILL while it drains.", ALL, drain),
    Family(
        "poison", "Adds messages that end their process by `os._exit`.", ALL, nothing, kinds={"exit": 1}, exits=(9,)
    ),
)
