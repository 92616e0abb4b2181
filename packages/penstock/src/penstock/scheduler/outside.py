"""All that a scheduler's pod has from outside."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from penstock.clocks import CLOCKS, Clocks
from penstock.observe.lines import Process
from penstock.observe.metrics import Metrics
from penstock.observe.readiness import Readiness
from penstock.wire.link import Link


class Beside(Protocol):
    """Where the lease is kept while the pod's loop is busy: a thread, or in a test the same loop."""

    def start(self, work: Coroutine[Any, Any, None]) -> Cancels:
        """Begin it there."""


class Cancels(Protocol):
    """What was begun."""

    def cancel(self) -> object:
        """End it."""

    def done(self) -> bool:
        """Whether it has ended."""

    def exception(self) -> BaseException | None:
        """What it ended with, once it has."""


@dataclass(frozen=True, slots=True)
class Outside:
    """All that a pod has from outside, so that a test can give it something else."""

    link: Callable[[str], Link]
    """Makes a connection, by its name."""
    beside: Beside
    metrics: Metrics
    readiness: Readiness
    host: str
    process: Process = field(default_factory=Process)
    rng: Random = field(default_factory=Random)
    clocks: Clocks = CLOCKS
