"""How a kind of spec runs under `penstock dev`; each kind has a class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from penstock.observe.events import Event
from penstock.wire.credentials import Credentials
from penstock.wire.link import Link
from penstock_scaling import Readings
from penstock_scaling.settings import Settings
from penstock_spec.platform import Redis


@dataclass(frozen=True, slots=True)
class Measurements:
    """The numbers of one spec, read from Redis."""

    by_state: tuple[tuple[str, int | None], ...] = ()
    backlog: int | None = None
    oldest: float | None = None
    """Seconds."""
    dead: int | None = None
    done: float | None = None
    """Per second."""
    idle: bool = False
    """Whether no work is left, now or later."""
    held: dict[str, int] | None = None
    """Messages or jobs in progress, by consumer."""
    paused: bool = False
    """Whether all jobs are paused in Redis."""


class Workload(Protocol):
    """One spec in its environment."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def environment(self) -> str: ...

    @property
    def spec(self) -> Any:  # noqa: ANN401 - the model of its kind
        """The spec with the overrides of its environment."""
        ...

    @property
    def replica_bounds(self) -> tuple[int, int]:
        """Minimum and maximum number of replicas."""
        ...

    @property
    def grace(self) -> float:
        """Seconds that a process gets to shut down."""
        ...

    @property
    def ready(self) -> frozenset[Event]:
        """Events that mean that a process is ready."""
        ...

    @property
    def needs_janitor(self) -> bool:
        """Whether the janitor maintains it."""
        ...

    def on(self, redis: Redis) -> Workload:
        """The same workload on another Redis."""
        ...

    def link(self, credentials: Credentials) -> Link:
        """A connection to the server that holds its keys."""
        ...

    def process_files(self) -> tuple[dict[Path, str], str]:
        """The files that its processes read, by path, and their digest.

        A new digest requires a restart of the processes.
        """
        ...

    def arguments(self, files: Path, url: str, paths: Sequence[Path]) -> list[str]:
        """The arguments of `penstock` that run it; `files` is the folder with the process files."""
        ...

    def settings(self) -> Settings | None:
        """Its scaling settings, or None without autoscaling. Raises CannotGoOn if they are not supported here."""
        ...

    async def readings(self, link: Link, janitor: int | None) -> Readings:
        """The current values of its triggers. `janitor` is the port of its HTTP API."""
        ...

    async def measure(self, link: Link) -> Measurements:
        """Read its numbers. Raises RedisTrouble."""
        ...

    def reset(self) -> None:
        """Forget the last measurement: Redis was unreachable."""
        ...

    async def send(self, link: Link, credentials: Credentials, count: int) -> str:
        """Send messages, or run a job; returns what was done. Raises CannotGoOn."""
        ...

    async def set_paused(self, link: Link, *, paused: bool) -> str | None:
        """Pause or resume its jobs and say so, or return None if only scaling can be paused. Raises CannotGoOn."""
        ...
