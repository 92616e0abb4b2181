"""What is simulated: the settings, the traffic, the pods, and what fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal, Protocol

from penstock_scaling.settings import Settings
from penstock_scaling.simulator.handling import Handling

Arrivals = Iterator[int]
"""Messages in each second."""


class Traffic(Protocol):
    """What arrives."""

    def arrivals(self, random: Random, /) -> Arrivals:
        """Messages in each second, until no more come."""


@dataclass(frozen=True, slots=True)
class Outage:
    """Something is away for a time; seconds count from the start of the run.

    workers   all of them are lost at once and are back at the end; what they ran is taken over when their lease is over
    redis     nothing is read or settled; senders hold on to what they have, and send it when Redis is back
    """

    of: Literal["workers", "redis"]
    start: int
    lasts: int

    @property
    def end(self) -> int:
        """The first second in which it is back."""
        return self.start + self.lasts


@dataclass(frozen=True, slots=True)
class Scenario:
    """All that a run hangs on, but the seed. Times are whole seconds."""

    settings: Settings
    traffic: Traffic
    handling: Handling
    concurrency: int
    """Messages that a pod works on at once."""
    pod_start: int = 10
    """From the decision until a pod works, where a node has room for it."""
    node_start: int = 90
    """What a pod waits in addition where a node must come first."""
    node_pods: int | None = None
    """Pods for which a node has room; None is a cluster that always has. A node leaves with its pods."""
    grace: int = 90
    margin: int = 10
    """A pod that is told to leave gives back what does not end within `grace` - `margin`."""
    lease: int = 30
    """After this, what a lost worker ran is taken over."""
    protect_busy: bool = False
    """Idle pods go first."""
    keeps_history: bool = False
    """The stream's length counts what is done, too."""
    outages: tuple[Outage, ...] = ()
    replicas: int | None = None
    """Pods at the start, all ready; None is the minimum."""
    target_age: int | None = None
    """The age of the oldest message above which time is counted."""
    after: int = 3600
    """How long the run goes on after the last second of traffic, at the most; it ends once all is quiet."""
