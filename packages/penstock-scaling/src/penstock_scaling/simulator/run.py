"""What came of a run: a line for each second, and the sums of it."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from penstock_scaling.autoscaler import Decision


def _column() -> array[int]:
    return array("q")


@dataclass(frozen=True, slots=True)
class Series:
    """Second by second, each at the same index."""

    sent: array[int] = field(default_factory=_column)
    """All that were sent until then."""
    waiting: array[int] = field(default_factory=_column)
    running: array[int] = field(default_factory=_column)
    done: array[int] = field(default_factory=_column)
    """All that are done."""
    oldest: array[int] = field(default_factory=_column)
    """Seconds that the oldest of the waiting has waited."""
    wanted: array[int] = field(default_factory=_column)
    """Pods that KEDA and the HPA want."""
    ready: array[int] = field(default_factory=_column)
    """Pods that work."""
    pods: array[int] = field(default_factory=_column)
    """Pods there are: starting, ready, or leaving."""
    stopped: array[int] = field(default_factory=_column)
    """All pods that were told to leave while they worked, until then."""

    def __len__(self) -> int:
        """Seconds."""
        return len(self.sent)

    @property
    def backlog(self) -> array[int]:
        """What is not done: waiting and running."""
        return array("q", (one - other for one, other in zip(self.sent, self.done, strict=True)))


@dataclass(frozen=True, slots=True)
class Summary:
    """The sums. Times are in seconds."""

    lasted: int
    sent: int
    done: int
    waits: Mapping[int, int]
    """How many messages waited so long until they were started; those that never were, until the end of the run."""
    over_target: int
    """Time in which the oldest message was older than the target age."""
    max_replicas: int
    mean_replicas: float
    pod_hours: float
    scaled_up: int
    scaled_down: int
    """Decisions that changed the number."""
    busy_pods_stopped: int
    """Pods told to leave while they worked."""
    given_back: int
    """Messages that a leaving pod could not end in time."""
    taken_over: int
    """Messages of workers that were lost."""
    back_at_min: int | None
    """From the last message sent until all is done and the pods are back at the least; None where they never were."""

    def waited(self, share: float) -> int:
        """The wait that this share of the messages did not exceed: 0.99 is the p99, 1 the longest."""
        total, reached = sum(self.waits.values()), 0
        for wait in sorted(self.waits):
            reached += self.waits[wait]
            if reached >= share * total:
                return wait
        return max(self.waits, default=0)

    @property
    def scale_events(self) -> int:
        """Up and down."""
        return self.scaled_up + self.scaled_down


@dataclass(frozen=True, slots=True)
class Run:
    """A scenario as it went."""

    series: Series
    decisions: tuple[Decision, ...]
    """Those that changed the number of pods."""
    summary: Summary


@dataclass(slots=True)
class RunCounters:
    """What is counted on the way."""

    busy_pods_stopped: int = 0
    given_back: int = 0
    taken_over: int = 0
    quiet: int | None = None
    """The second from which on all was done and the pods were back."""


def summarize(
    series: Series,
    decisions: tuple[Decision, ...],
    waits: Mapping[int, int],
    counters: RunCounters,
    target_age: int | None,
) -> Summary:
    """The sums of a run."""
    last = max((now for now, (before, after) in enumerate(pairwise(series.sent), 1) if after > before), default=0)
    return Summary(
        lasted=len(series),
        sent=series.sent[-1],
        done=series.done[-1],
        waits=waits,
        over_target=0 if target_age is None else sum(age > target_age for age in series.oldest),
        max_replicas=max(series.wanted),
        mean_replicas=sum(series.wanted) / len(series),
        pod_hours=sum(series.pods) / 3600,
        scaled_up=sum(one.after > one.before for one in decisions),
        scaled_down=sum(one.after < one.before for one in decisions),
        busy_pods_stopped=counters.busy_pods_stopped,
        given_back=counters.given_back,
        taken_over=counters.taken_over,
        back_at_min=None if counters.quiet is None else counters.quiet - last,
    )
