"""What a family of faults is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from servers import Server

from . import load
from .account import Facts
from .storm import Storm
from .supervised import Around


def _plain(folder: Path, ends: ExitStack) -> Server:
    del folder
    return ends.enter_context(Server(appendonly=True))


def _nothing_missing() -> str:
    return ""


def _alike(storm: Storm, role: str, number: int) -> Around:
    del storm, role, number
    return Around()


def _nothing_more(storm: Storm, facts: Facts) -> list[str]:
    del storm, facts
    return []


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of fault."""

    name: str
    does: str
    """One sentence for the report."""
    promises: str
    """The promises that it tests, and how they are restricted if Redis itself loses data."""
    faults: Callable[[Storm], None]
    seconds: float = 12.0
    """How long the faults last."""
    shape: str = "plain"
    """The shape of Redis; see `targets`."""
    through_cables: bool = False
    """Whether connections pass a proxy, which can lose, hold and cut them."""
    kinds: Mapping[str, int] = field(default_factory=dict)
    """How often further kinds of messages are sent, beside those of `load.KINDS`."""
    spec: Mapping[str, str] = field(default_factory=dict)
    """Sections of the spec, each on one line, that replace those of `load.SPEC`."""
    attempts: int = load.ATTEMPTS
    """`retries.attempts` of the spec."""
    exits: tuple[int, ...] = ()
    """Codes with which workers may end by themselves."""
    drains: tuple[int, ...] = (0,)
    """Codes with which a worker or a janitor may end after SIGTERM."""
    server: Callable[[Path, ExitStack], Server] = _plain
    """Starts the server of a plain Redis; the folder is for its files."""
    around: Callable[[Storm, str, int], Around] = _alike
    """The surroundings of a process, by its role and number."""
    missing: Callable[[], str] = _nothing_missing
    """What this machine needs for the storm and does not have, in words; then the storm is left out."""
    checks: Callable[[Storm, Facts], list[str]] = _nothing_more
    """Returns further violations."""
    is_longest: bool = False
    """Whether it takes much longer than others; it begins first."""
