"""One running spec: its replicas, its scaling and its last measurements."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from penstock.wire.link import Link
from penstock_dev.running.latency import Latency
from penstock_dev.running.replica_set import ReplicaSet
from penstock_dev.running.scaling import Scaling
from penstock_dev.running.workload import Measurements, Workload
from penstock_dev.snapshot import HistoryPoint, SpecSnapshot, WorkerSnapshot

MAX_HISTORY = 240
UNKNOWN = Measurements()


@dataclass(slots=True)
class Deployment:
    """The state of one running spec."""

    workload: Workload
    replica_set: ReplicaSet
    scaling: Scaling
    link: Link
    """To the server that holds its keys."""
    digest: str
    """Of the files that its processes read."""
    measured: Measurements = UNKNOWN
    latency: Latency = field(default_factory=Latency)
    spec_error: str = ""
    """Why an older version of its spec runs."""
    history: deque[HistoryPoint] = field(default_factory=lambda: deque(maxlen=MAX_HISTORY))

    def record_history(self) -> None:
        """Append the current numbers to the history."""
        self.history.append(HistoryPoint(self.measured.backlog, len(self.replica_set.replicas)))

    def snapshot(self) -> SpecSnapshot:
        """The state as a value."""
        least, most = self.workload.replica_bounds
        measured, held = self.measured, self.measured.held or {}
        return SpecSnapshot(
            name=self.workload.name,
            kind=self.workload.kind,
            numbers=measured.by_state,
            backlog=measured.backlog,
            oldest=measured.oldest,
            dead=measured.dead,
            done=measured.done,
            p50=self.latency.quantile(0.5),
            p95=self.latency.quantile(0.95),
            wanted=self.replica_set.wanted,
            least=least,
            most=most,
            paused=self.scaling.paused or measured.paused,
            workers=tuple(
                WorkerSnapshot(one.name, one.child.pid, one.state, held.get(one.name), one.child.age)
                for one in self.replica_set.replicas
            ),
            history=tuple(self.history),
            decision=self.scaling.decision,
            problems=tuple(text for text in (self.spec_error, self.replica_set.start_error) if text),
        )
