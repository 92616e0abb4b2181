"""What a program gets from its process, passed in so that tests and simulations can replace it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from penstock.clocks import CLOCKS, Clocks
from penstock.observe.lines import Process
from penstock.observe.metrics import Metrics
from penstock.observe.readiness import Readiness
from penstock.pod.lease import new_consumer_name
from penstock.wire.link import Link


class SideTask(Protocol):
    """Work in the side loop."""

    def cancel(self) -> object:
        """Cancel it."""

    def done(self) -> bool:
        """Whether it has ended."""

    def exception(self) -> BaseException | None:
        """The exception that ended it, once it has ended."""


class SideLoop(Protocol):
    """An event loop that runs while the main loop is blocked: in a thread, or in tests the main loop itself."""

    def start(self, work: Coroutine[Any, Any, None]) -> SideTask:
        """Run a coroutine there."""

    def call(self, function: Callable[..., object], *args: object) -> None:
        """Call a function there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """Connections, threads, metrics, clocks and randomness."""

    link: Callable[[str], Link]
    """Creates a connection; the argument is its name."""
    side: SideLoop
    metrics: Metrics
    readiness: Readiness
    host: str
    """Part of the consumer's name: in Kubernetes, the pod's name."""
    process: Process = field(default_factory=Process)
    rng: Random = field(default_factory=Random)
    clocks: Clocks = CLOCKS
    new_consumer: Callable[[str], str] = new_consumer_name
    """Returns a consumer name that was never used, from a name."""
