"""The curves of a plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MAX_POINTS = 720
"""Points of a curve, about the width of the plot."""


@dataclass(frozen=True, slots=True)
class Curves:
    """The curves of one run, all with the same number of points, `step` seconds apart."""

    name: str
    arrivals: Sequence[float]
    """Messages per second."""
    backlog: Sequence[float]
    oldest: Sequence[float]
    """Seconds."""
    wanted: Sequence[float]
    ready: Sequence[float]
    step: int = 1

    @property
    def times(self) -> list[int]:
        """Seconds since the start."""
        return [point * self.step for point in range(len(self.backlog))]

    def thinned(self) -> Curves:
        """At most `MAX_POINTS` points; peaks are kept."""
        by = -(-len(self.backlog) // MAX_POINTS)
        if by <= 1:
            return self
        return Curves(
            name=self.name,
            arrivals=[sum(part) / len(part) for part in _parts(self.arrivals, by)],  # keeps the total
            backlog=_highest(self.backlog, by),
            oldest=_highest(self.oldest, by),
            wanted=_highest(self.wanted, by),
            ready=_highest(self.ready, by),
            step=self.step * by,
        )


def _highest(line: Sequence[float], by: int) -> list[float]:
    return [max(part) for part in _parts(line, by)]


def _parts(line: Sequence[float], by: int) -> list[Sequence[float]]:
    return [line[at : at + by] for at in range(0, len(line), by)]
