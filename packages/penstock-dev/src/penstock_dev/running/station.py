"""One spec that runs: its processes, its scaling, and what was seen of it last."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from penstock.wire.link import Link
from penstock_dev.running.crew import Crew
from penstock_dev.running.latency import Latency
from penstock_dev.running.runs import Numbers, Runs
from penstock_dev.running.scaling import Scaling
from penstock_dev.seen import Past, SpecSeen, WorkerSeen

LOOKS_BACK = 240
UNKNOWN = Numbers()


@dataclass(slots=True)
class Station:
    """All that there is of one spec."""

    runs: Runs
    crew: Crew
    scaling: Scaling
    link: Link
    """To where it keeps what it has."""
    digest: str
    """Of what its processes read."""
    numbers: Numbers = UNKNOWN
    latency: Latency = field(default_factory=Latency)
    trouble: str = ""
    """Why its spec, as it stands now, is not what runs."""
    history: deque[Past] = field(default_factory=lambda: deque(maxlen=LOOKS_BACK))

    def remember(self) -> None:
        """One more look back."""
        self.history.append(Past(self.numbers.backlog, len(self.crew.members)))

    def seen(self) -> SpecSeen:
        """As a value."""
        least, most = self.runs.replicas
        numbers, held = self.numbers, self.numbers.held or {}
        return SpecSeen(
            name=self.runs.name,
            kind=self.runs.kind,
            numbers=numbers.by_state,
            backlog=numbers.backlog,
            oldest=numbers.oldest,
            dead=numbers.dead,
            done=numbers.done,
            p50=self.latency.of(0.5),
            p95=self.latency.of(0.95),
            wanted=self.crew.wanted,
            least=least,
            most=most,
            paused=self.scaling.paused,
            workers=tuple(
                WorkerSeen(one.name, one.child.pid, one.state, held.get(one.name), one.child.age)
                for one in self.crew.members
            ),
            history=tuple(self.history),
            decision=self.scaling.decision,
            trouble=tuple(text for text in (self.trouble, self.crew.trouble) if text),
        )
