"""The result of a simulation: a time series and its summary."""

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
    """Values for each second."""

    sent: array[int] = field(default_factory=_column)
    """Messages sent so far."""
    waiting: array[int] = field(default_factory=_column)
    running: array[int] = field(default_factory=_column)
    done: array[int] = field(default_factory=_column)
    """Messages done so far."""
    oldest: array[int] = field(default_factory=_column)
    """Age of the oldest waiting message."""
    wanted: array[int] = field(default_factory=_column)
    """Pods that KEDA and the HPA want."""
    ready: array[int] = field(default_factory=_column)
    """Ready pods."""
    pods: array[int] = field(default_factory=_column)
    """All pods: starting, ready or stopping."""
    stopped: array[int] = field(default_factory=_column)
    """Pods stopped while busy, so far."""

    def __len__(self) -> int:
        """Seconds."""
        return len(self.sent)

    @property
    def backlog(self) -> array[int]:
        """Unfinished messages: waiting and running."""
        return array("q", (one - other for one, other in zip(self.sent, self.done, strict=True)))


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary. Times are in seconds."""

    lasted: int
    sent: int
    done: int
    waits: Mapping[int, int]
    """Messages by seconds waited until their start; those never started count until the end of the run."""
    over_target: int
    """Seconds in which the oldest message was older than the target age."""
    max_replicas: int
    mean_replicas: float
    pod_hours: float
    scaled_up: int
    scaled_down: int
    """Decisions that changed the number of pods."""
    busy_pods_stopped: int
    """Pods stopped while busy."""
    given_back: int
    """Messages that a stopping pod could not finish in time."""
    taken_over: int
    """Messages of lost workers."""
    back_at_min: int | None
    """Seconds from the last message until all is done and the pods are at the minimum; None if that never happened."""

    def waited(self, share: float) -> int:
        """The quantile of the wait: 0.99 is the p99, 1 the longest."""
        total, reached = sum(self.waits.values()), 0
        for wait in sorted(self.waits):
            reached += self.waits[wait]
            if reached >= share * total:
                return wait
        return max(self.waits, default=0)


@dataclass(frozen=True, slots=True)
class SimulationRun:
    """The result of simulating a scenario."""

    series: Series
    decisions: tuple[Decision, ...]
    """Decisions that changed the number of pods."""
    summary: Summary


@dataclass(slots=True)
class RunCounters:
    """Counters during the run."""

    busy_pods_stopped: int = 0
    given_back: int = 0
    taken_over: int = 0
    quiet: int | None = None
    """The second since which all is done and the pods are back at the minimum."""


def summarize(
    series: Series,
    decisions: tuple[Decision, ...],
    waits: Mapping[int, int],
    counters: RunCounters,
    target_age: int | None,
) -> Summary:
    """Summarize a run."""
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
