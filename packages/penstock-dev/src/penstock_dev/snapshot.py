"""What there is to be seen at one moment: values, so that whoever shows them asks nobody else.

Durations are seconds of the laptop's own clock. None stands where a number cannot be told, as while Redis is down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class WorkerState(StrEnum):
    """Where a process is in its life."""

    STARTING = "starting"
    READY = "ready"
    DRAINING = "draining"


class Level(StrEnum):
    """How much a line of a log matters."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class RedisSnapshot:
    """The server that all pipelines share."""

    address: str
    up: bool | None
    """None until it was asked for the first time."""
    since: float
    """How long it has been so."""
    ours: bool = True
    """Whether we started it, and so may stop it."""


@dataclass(frozen=True, slots=True)
class WorkerSnapshot:
    """One process."""

    name: str
    """As the group has it."""
    pid: int
    state: WorkerState
    running: int | None = None
    """Messages that it works on."""
    age: float = 0


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """One look back, for sparklines."""

    backlog: int | None
    replicas: int


@dataclass(frozen=True, slots=True)
class SpecSnapshot:
    """One spec that runs: a pipeline, or another kind. What only some kinds have stands in `numbers`."""

    name: str
    kind: str = "pipeline"
    numbers: tuple[tuple[str, int | None], ...] = ()
    """Of a pipeline: messages by state, in the order of `penstock status`: new, running, ready, suspect, ..."""
    backlog: int | None = None
    """What scaling goes by."""
    oldest: float | None = None
    """How long the oldest message waits."""
    dead: int | None = None
    done: float | None = None
    """Messages done in a second."""
    p50: float | None = None
    p95: float | None = None
    """Of the seconds that handling takes."""
    wanted: int = 0
    """Replicas that the autoscaler asks for."""
    least: int = 0
    most: int = 0
    """The spec's bounds of replicas."""
    paused: bool = False
    """Whether scaling stands still, as under KEDA's annotation `autoscaling.keda.sh/paused`."""
    workers: tuple[WorkerSnapshot, ...] = ()
    history: tuple[HistoryPoint, ...] = ()
    """Oldest first, all the same time apart."""
    decision: str = ""
    """The autoscaler's last, in words: what it saw, what it asked for, and why no more or less."""
    trouble: tuple[str, ...] = ()
    """Such as a spec that is invalid now, so that the one before is kept; a handler that cannot be imported."""

    @property
    def running(self) -> int:
        """Replicas that are there, whatever state they are in."""
        return len(self.workers)


@dataclass(frozen=True, slots=True)
class LogLine:
    """What a worker or `penstock dev` itself said. The text is data, and may hold anything."""

    number: int
    """Counts up from one line to the next: who has seen one by its number has seen all before it."""
    at: float
    """Seconds since 1970."""
    level: Level
    text: str
    spec: str = ""
    """Empty where it is of no single one."""
    worker: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything at one moment."""

    redis: RedisSnapshot
    speed: float = 1
    """How many times faster than in a cluster the autoscaler's clock goes."""
    specs: tuple[SpecSnapshot, ...] = ()
    log: tuple[LogLine, ...] = ()
    """The last lines, oldest first; some hundreds are enough."""
    trouble: tuple[str, ...] = ()
    """What is wrong with more than one spec, such as the platform file."""


SnapshotSource = Callable[[], Snapshot]
"""Asked a few times a second, on the event loop: it tells what is known, and waits for nothing."""
