"""What a kind of spec says of how it runs here. A pipeline is one; what else may run is one more class like it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from penstock.resolved import Resolved
from penstock.wire.link import Link
from penstock_scaling import Readings
from penstock_scaling.settings import Settings
from penstock_spec.platform import Redis


@dataclass(frozen=True, slots=True)
class Numbers:
    """One look at Redis, for people."""

    by_state: tuple[tuple[str, int | None], ...] = ()
    backlog: int | None = None
    oldest: float | None = None
    """Seconds."""
    dead: int | None = None
    done: float | None = None
    """In a second."""
    idle: bool = False
    """Whether there is nothing left to do, now or later."""
    held: dict[str, int] | None = None
    """Messages that each consumer works on."""


class Runs(Protocol):
    """One spec in its environment, as it is run."""

    @property
    def name(self) -> str:
        """The spec's."""
        ...

    @property
    def kind(self) -> str:
        """The spec's."""
        ...

    @property
    def of(self) -> Resolved:
        """The spec."""
        ...

    @property
    def replicas(self) -> tuple[int, int]:
        """Processes at least, and at most."""
        ...

    @property
    def grace(self) -> float:
        """Seconds that a process has to leave."""
        ...

    @property
    def ready(self) -> frozenset[str]:
        """What a process says when it is ready."""
        ...

    def on(self, redis: Redis) -> Runs:
        """The same on another Redis."""
        ...

    def written(self) -> tuple[str, str]:
        """What its processes read, and the digest of that: another one asks for new processes."""
        ...

    def words(self, file: Path, url: str, paths: Sequence[Path]) -> list[str]:
        """The words after `penstock` that run it."""
        ...

    def settings(self) -> Settings:
        """What its scaling goes by. Raises CannotGoOn where that cannot be run here."""
        ...

    async def read(self, link: Link, janitor: int | None) -> Readings:
        """What scaling reads now; the janitor answers at this port."""
        ...

    async def look(self, link: Link) -> Numbers:
        """How it is. Raises RedisTrouble."""
        ...

    def lost_sight(self) -> None:
        """Redis did not answer: the next look begins anew."""
        ...
