"""Pods: starting, ready and stopping; and which of them stop."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from penstock_scaling.simulator.scenario import Scenario


@dataclass(slots=True)
class Pods:
    """The number of pods; starting and stopping ones by the second in which they are ready or gone."""

    scenario: Scenario
    ready: int
    starting: dict[int, int] = field(default_factory=dict)
    stopping: dict[int, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """All pods that cost money: starting, ready and stopping."""
        return self.ready + sum(self.starting.values()) + sum(self.stopping.values())

    def pass_to(self, now: int) -> None:
        """Advance to this second."""
        if self.starting:
            self.ready += self.starting.pop(now, 0)
        if self.stopping:
            self.stopping.pop(now, None)

    def start(self, now: int, count: int) -> None:
        """Start pods; those that do not fit on the nodes wait for a new node."""
        scenario, fits = self.scenario, count
        if scenario.node_pods is not None:
            nodes = max(1, -(-self.total // scenario.node_pods))
            fits = min(count, nodes * scenario.node_pods - self.total)
        for many, wait in ((fits, 0), (count - fits, scenario.node_start)):
            if many:
                at = now + max(1, scenario.pod_start + wait)
                self.starting[at] = self.starting.get(at, 0) + many

    def stop(self, count: int) -> int:
        """Remove starting pods, the newest first; returns how many ready ones must stop as well."""
        for at in sorted(self.starting, reverse=True):
            gone = min(count, self.starting[at])
            count -= gone
            self.starting[at] -= gone
            if not self.starting[at]:
                del self.starting[at]
        return count

    def leave(self, at: int) -> None:
        """Record that a stopping pod is gone at this second."""
        self.stopping[at] = self.stopping.get(at, 0) + 1


def running_per_pod(scenario: Scenario, ready: int, running: int, stopping: int, random: Random) -> list[int]:
    """The number of running messages on each pod that is stopped.

    Messages are on random slots. To Kubernetes all pods are equal, so the newest stop, which run as much as any other;
    with `protect_busy` idle pods stop first.
    """
    slots = ready * scenario.concurrency
    if running < slots:
        on = [0] * ready
        for slot in random.sample(range(slots), running):
            on[slot // scenario.concurrency] += 1
    else:
        on = [scenario.concurrency] * ready
    return (sorted(on) if scenario.protect_busy else on)[:stopping]
