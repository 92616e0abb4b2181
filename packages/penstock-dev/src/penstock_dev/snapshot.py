"""The state of everything at one moment, as values that the screen and plain output can show without further reads.

Durations are seconds of wall time. None is an unknown number, for example while Redis is down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class WorkerState(StrEnum):
    """The lifecycle of a process."""

    STARTING = "starting"
    READY = "ready"
    DRAINING = "draining"


class Level(StrEnum):
    """The level of a log line."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class RedisSnapshot:
    """The Redis server that all pipelines share."""

    address: str
    up: bool | None
    """None before the first connection."""
    since: float
    """Seconds in this state."""
    owned: bool = True
    """Whether `penstock dev` started it, and so can stop it."""


@dataclass(frozen=True, slots=True)
class WorkerSnapshot:
    """One process."""

    name: str
    """The consumer's name in Redis."""
    pid: int
    state: WorkerState
    running: int | None = None
    """Messages in progress."""
    age: float = 0


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """One point of a sparkline."""

    backlog: int | None
    replicas: int


@dataclass(frozen=True, slots=True)
class SpecSnapshot:
    """One running spec. `numbers` holds the counts that differ by kind."""

    name: str
    kind: str = "pipeline"
    numbers: tuple[tuple[str, int | None], ...] = ()
    """For a pipeline, messages by state in the order of `penstock status`: new, running, ready, suspect, ..."""
    backlog: int | None = None
    """The number that scaling uses."""
    oldest: float | None = None
    """Age of the oldest waiting message."""
    dead: int | None = None
    done: float | None = None
    """Messages per second."""
    p50: float | None = None
    p95: float | None = None
    """Handling times in seconds."""
    wanted: int = 0
    """Replicas that the autoscaler wants."""
    least: int = 0
    most: int = 0
    """The spec's replica bounds."""
    paused: bool = False
    """Whether scaling is paused, as with KEDA's annotation `autoscaling.keda.sh/paused`."""
    workers: tuple[WorkerSnapshot, ...] = ()
    history: tuple[HistoryPoint, ...] = ()
    """Oldest first, at equal intervals."""
    decision: str = ""
    """The autoscaler's last decision: what it read, what it wants, and why."""
    problems: tuple[str, ...] = ()
    """For example an invalid spec whose last valid version still runs, or a handler that cannot be imported."""

    @property
    def running(self) -> int:
        """Replicas that exist, in any state."""
        return len(self.workers)


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line logged by a worker or by `penstock dev`. The text is untrusted."""

    number: int
    """Increases by one per line."""
    at: float
    """Unix time in seconds."""
    level: Level
    text: str
    spec: str = ""
    """Empty for lines about no particular spec."""
    worker: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything at one moment."""

    redis: RedisSnapshot
    speed: float = 1
    """Speed of the autoscaler's clock, relative to a cluster."""
    specs: tuple[SpecSnapshot, ...] = ()
    log: tuple[LogLine, ...] = ()
    """The last few hundred lines, oldest first."""
    problems: tuple[str, ...] = ()
    """Problems that affect more than one spec, such as an invalid platform file."""


SnapshotSource = Callable[[], Snapshot]
"""Returns the latest known state at once. It is called a few times a second on the event loop."""
