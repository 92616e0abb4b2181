"""What a picture shows of a run: a few numbers for each stretch of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST = 720
"""Points of a curve; a picture is about as many points wide."""


@dataclass(frozen=True, slots=True)
class Curves:
    """Of one run; all have as many points, and a point stands for `step` seconds."""

    name: str
    arrivals: Sequence[float]
    """Messages a second."""
    backlog: Sequence[float]
    oldest: Sequence[float]
    """Seconds."""
    wanted: Sequence[float]
    ready: Sequence[float]
    step: int = 1

    @property
    def times(self) -> list[int]:
        """Seconds from the beginning."""
        return [point * self.step for point in range(len(self.backlog))]

    def thinned(self) -> Curves:
        """As many points as an eye can tell apart. Peaks stay: of what is left out none was worse."""
        by = -(-len(self.backlog) // MOST)
        if by <= 1:
            return self
        return Curves(
            name=self.name,
            arrivals=[sum(part) / len(part) for part in _parts(self.arrivals, by)],  # what counts is their sum
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
