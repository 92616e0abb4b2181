"""The pods: starting, ready, leaving; and which of them leave."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from penstock_scaling.simulator.scenario import Scenario


@dataclass(slots=True)
class Pods:
    """Counts of them; those on their way by the second in which they arrive there."""

    scenario: Scenario
    ready: int
    starting: dict[int, int] = field(default_factory=dict)
    leaving: dict[int, int] = field(default_factory=dict)

    @property
    def there(self) -> int:
        """All that cost something: starting, ready and leaving."""
        return self.ready + sum(self.starting.values()) + sum(self.leaving.values())

    def pass_to(self, now: int) -> None:
        """Those whose second has come are ready, or gone."""
        if self.starting:
            self.ready += self.starting.pop(now, 0)
        if self.leaving:
            self.leaving.pop(now, None)

    def start(self, now: int, count: int) -> None:
        """Where the nodes have no room, a new one comes first."""
        scenario, fits = self.scenario, count
        if scenario.node_pods is not None:
            nodes = max(1, -(-self.there // scenario.node_pods))
            fits = min(count, nodes * scenario.node_pods - self.there)
        for many, wait in ((fits, 0), (count - fits, scenario.node_start)):
            if many:
                at = now + max(1, scenario.pod_start + wait)
                self.starting[at] = self.starting.get(at, 0) + many

    def stop(self, count: int) -> int:
        """Take away those that are not ready, the newest first; how many ready ones must go yet."""
        for at in sorted(self.starting, reverse=True):
            gone = min(count, self.starting[at])
            count -= gone
            self.starting[at] -= gone
            if not self.starting[at]:
                del self.starting[at]
        return count

    def leave(self, at: int) -> None:
        """One is gone by then."""
        self.leaving[at] = self.leaving.get(at, 0) + 1


def loads(scenario: Scenario, ready: int, running: int, leaving: int, random: Random) -> list[int]:
    """How many messages each of the pods runs that are told to leave.

    Work lies on the slots at random. Kubernetes takes the pods that are worth least; all are worth the same, and then
    the newest go, which run as much as any; with `protect_busy` the idle ones go first.
    """
    slots = ready * scenario.concurrency
    if running < slots:
        on = [0] * ready
        for slot in random.sample(range(slots), running):
            on[slot // scenario.concurrency] += 1
    else:
        on = [scenario.concurrency] * ready
    return (sorted(on) if scenario.protect_busy else on)[:leaving]
