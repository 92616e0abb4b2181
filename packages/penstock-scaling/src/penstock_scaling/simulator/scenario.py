"""The inputs of a simulation: settings, traffic, pods and outages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal, Protocol

from penstock_scaling.settings import Settings
from penstock_scaling.simulator.handling import HandlingTimes

Arrivals = Iterator[int]
"""Messages in each second."""


class Traffic(Protocol):
    """A source of messages."""

    def arrivals(self, random: Random, /) -> Arrivals:
        """Messages in each second, to the end of the traffic."""


@dataclass(frozen=True, slots=True)
class Outage:
    """Workers or Redis are down for a time, in seconds since the start of the run.

    workers   all are lost at once and return at the end; their messages are taken over when their leases expire
    redis     nothing is read or settled; producers hold their messages back and send them when Redis is up
    """

    of: Literal["workers", "redis"]
    start: int
    lasts: int

    @property
    def end(self) -> int:
        """The first second after the outage."""
        return self.start + self.lasts


@dataclass(frozen=True, slots=True)
class Scenario:
    """The inputs of a run, except the random seed. Times are whole seconds."""

    settings: Settings
    traffic: Traffic
    handling: HandlingTimes
    concurrency: int
    """Messages that a pod runs at once."""
    pod_start: int = 10
    """From the decision until the pod is ready, if a node has room."""
    node_start: int = 90
    """Additional seconds for a pod that needs a new node."""
    node_pods: int | None = None
    """Pods per node; None means that there is always room. A node is removed with its pods."""
    grace: int = 90
    margin: int = 10
    """A stopping pod gives back the messages that do not finish within `grace` - `margin`."""
    lease: int = 30
    """The messages of a lost worker are taken over after this."""
    protect_busy: bool = False
    """Stop idle pods first."""
    keeps_history: bool = False
    """Whether the stream's length includes finished messages."""
    outages: tuple[Outage, ...] = ()
    replicas: int | None = None
    """Ready pods at the start; None is the minimum."""
    target_age: int | None = None
    """The target for the age of the oldest message."""
    after: int = 3600
    """Maximum seconds after the traffic; the run ends earlier when all is quiet."""
