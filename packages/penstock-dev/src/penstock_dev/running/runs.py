"""What a kind of spec says of how it runs here. A pipeline is one; what else may run is one more class like it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from penstock.resolved import Resolved
from penstock.wire.link import Link


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
    """One spec, as it is run."""

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
        """The spec in its environment."""
        ...

    @property
    def replicas(self) -> tuple[int, int]:
        """At least, and at most."""
        ...

    def written(self) -> tuple[str, str]:
        """What its processes read, and the digest of that: another one asks for new processes."""
        ...

    def words(self, file: Path, url: str, paths: Sequence[Path]) -> list[str]:
        """The words after `penstock` that run it."""
        ...

    async def look(self, link: Link) -> Numbers:
        """How it is. Raises RedisTrouble."""
        ...

    def lost_sight(self) -> None:
        """Redis did not answer: the next look begins anew."""
        ...
