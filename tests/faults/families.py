"""All families of faults."""

from __future__ import annotations

from . import (
    of_clocks,
    of_history,
    of_lists,
    of_memory,
    of_networks,
    of_operators,
    of_processes,
    of_scripts,
    of_servers,
    of_sizes,
)
from .family import Family

FAMILIES: tuple[Family, ...] = (
    *of_processes.FAMILIES,
    *of_networks.FAMILIES,
    *of_servers.FAMILIES,
    *of_operators.FAMILIES,
    *of_sizes.FAMILIES,
    *of_memory.FAMILIES,
    *of_clocks.FAMILIES,
    *of_lists.FAMILIES,
    *of_history.FAMILIES,
    *of_scripts.FAMILIES,
)


def named(names: str) -> list[Family]:
    """The families with these names, separated by commas; all without a name."""
    known = {one.name: one for one in FAMILIES}
    chosen = [name for name in names.split(",") if name]
    unknown = sorted(set(chosen) - set(known))
    if unknown:
        raise SystemExit(f"no such family: {', '.join(unknown)}; known are {', '.join(known)}")
    return [known[name] for name in chosen] or list(FAMILIES)
