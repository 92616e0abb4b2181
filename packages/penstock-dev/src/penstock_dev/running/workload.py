"""What a kind of spec says of how it runs here. A class for each kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from penstock.wire.credentials import Credentials
from penstock.wire.link import Link
from penstock_scaling import Readings
from penstock_scaling.settings import Settings
from penstock_spec.platform import Redis


@dataclass(frozen=True, slots=True)
class Measurements:
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
    """Messages, or jobs, that each process works on, by its name in Redis."""
    paused: bool = False
    """Whether it stands still by what Redis says."""


class Workload(Protocol):
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
    def environment(self) -> str:
        """Its name."""
        ...

    @property
    def spec(self) -> Any:  # noqa: ANN401 - the model of its kind
        """As it is in its environment."""
        ...

    @property
    def replica_bounds(self) -> tuple[int, int]:
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

    @property
    def needs_janitor(self) -> bool:
        """Whether the janitor looks after it."""
        ...

    def on(self, redis: Redis) -> Workload:
        """The same on another Redis."""
        ...

    def link(self, credentials: Credentials) -> Link:
        """To where its keys are."""
        ...

    def written(self) -> tuple[dict[Path, str], str]:
        """What its processes read, by where that stands among the files of all, and the digest of that.

        Another digest asks for new processes.
        """
        ...

    def words(self, files: Path, url: str, paths: Sequence[Path]) -> list[str]:
        """The words after `penstock` that run it; `files` is the folder of all that was written."""
        ...

    def settings(self) -> Settings | None:
        """What its scaling goes by; None where nothing scales it. Raises CannotGoOn where that cannot be run here."""
        ...

    async def read(self, link: Link, janitor: int | None) -> Readings:
        """What scaling reads now; the janitor answers at this port."""
        ...

    async def look(self, link: Link) -> Measurements:
        """How it is. Raises RedisTrouble."""
        ...

    def reset(self) -> None:
        """Redis did not answer: the next look begins anew."""
        ...

    async def send(self, link: Link, credentials: Credentials, count: int) -> str:
        """Give it something to do, and say what. Raises CannotGoOn."""
        ...

    async def set_paused(self, link: Link, *, held: bool) -> str | None:
        """Let its work stand still, or go on, and say so; None where its scaling is what can. Raises CannotGoOn."""
        ...
