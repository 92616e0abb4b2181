"""Bugs of the simulation, planted into real processes: the ledger of a storm must catch each."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .account import Result
from .family import Family
from .running import run
from .storm import Storm
from .supervised import Around


@dataclass(frozen=True, slots=True)
class PlantedBug:
    """A bug, the family whose storm meets it, and the violation by which the ledger shows it."""

    what: str
    """Its description in `tests/simulation/planted.py`."""
    family: str
    finds: str


PLANTED = (
    PlantedBug("a message is acknowledged before its handler starts", "kill", "P1 acknowledged and lost"),
    PlantedBug("a message that failed is acknowledged", "cuts", "P1 acknowledged and lost"),
    PlantedBug("a claim does not count as a delivery", "drain", "P8 a fence was used twice"),
    PlantedBug("bury writes no dead letter", "consumers", "P1 acknowledged and lost"),
)


def storm_with(bug: PlantedBug, family: Family, seed: int) -> Result:
    """Run a storm of a family whose workers and janitors have the bug."""

    def around(storm: Storm, role: str, number: int) -> Around:
        del storm, role, number
        return Around({"PLANTED": bug.what}, "planted_process")

    return run(replace(family, around=around), seed)


def is_found(bug: PlantedBug, result: Result) -> bool:
    """Whether the ledger shows it."""
    return any(one.startswith(bug.finds) for one in result.violations)
