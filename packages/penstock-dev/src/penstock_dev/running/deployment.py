"""One spec that runs: its processes, its scaling, and what was seen of it last."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from penstock.wire.link import Link
from penstock_dev.running.latency import Latency
from penstock_dev.running.replica_set import ReplicaSet
from penstock_dev.running.scaling import Scaling
from penstock_dev.running.workload import Measurements, Workload
from penstock_dev.snapshot import HistoryPoint, SpecSnapshot, WorkerSnapshot

LOOKS_BACK = 240
UNKNOWN = Measurements()


@dataclass(slots=True)
class Deployment:
    """All that there is of one spec."""

    workload: Workload
    replica_set: ReplicaSet
    scaling: Scaling
    link: Link
    """To where it keeps what it has."""
    digest: str
    """Of what its processes read."""
    numbers: Measurements = UNKNOWN
    latency: Latency = field(default_factory=Latency)
    trouble: str = ""
    """Why its spec, as it stands now, is not what runs."""
    history: deque[HistoryPoint] = field(default_factory=lambda: deque(maxlen=LOOKS_BACK))

    def remember(self) -> None:
        """One more look back."""
        self.history.append(HistoryPoint(self.numbers.backlog, len(self.replica_set.replicas)))

    def snapshot(self) -> SpecSnapshot:
        """As a value."""
        least, most = self.workload.replica_bounds
        numbers, held = self.numbers, self.numbers.held or {}
        return SpecSnapshot(
            name=self.workload.name,
            kind=self.workload.kind,
            numbers=numbers.by_state,
            backlog=numbers.backlog,
            oldest=numbers.oldest,
            dead=numbers.dead,
            done=numbers.done,
            p50=self.latency.of(0.5),
            p95=self.latency.of(0.95),
            wanted=self.replica_set.wanted,
            least=least,
            most=most,
            paused=self.scaling.paused or numbers.paused,
            workers=tuple(
                WorkerSnapshot(one.name, one.child.pid, one.state, held.get(one.name), one.child.age)
                for one in self.replica_set.replicas
            ),
            history=tuple(self.history),
            decision=self.scaling.decision,
            trouble=tuple(text for text in (self.trouble, self.replica_set.trouble) if text),
        )
