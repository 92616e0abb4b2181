"""What processes and Redis use over time, and the rule for "flat"."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from statistics import median

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
MEBIBYTE = 1 << 20
WARM_UP = 0.25
"""The share of the samples, from the start, in which caches fill; it is not judged."""
PARTS = 40
"""The samples are summed up into this many medians, before slopes are compared."""
GROWTH = {"memory": 16.0, "files": 8.0, "connections": 4.0, "redis": 16.0}
"""By how much a line may grow from the end of the warm-up to the end: MiB, or a number."""


@dataclass(slots=True)
class Series:
    """One line: its values over time, in MiB or as a number."""

    name: str
    unit: str
    """A key of `GROWTH`."""
    points: list[tuple[float, float]] = field(default_factory=list)

    def judged(self) -> list[tuple[float, float]]:
        """The points after the warm-up, as medians of equal parts."""
        after = self.points[int(len(self.points) * WARM_UP) :]
        size = max(1, len(after) // PARTS)
        parts = [after[at : at + size] for at in range(0, len(after), size)]
        return [(median(at for at, _ in part), median(value for _, value in part)) for part in parts]

    def growth(self) -> float:
        """The growth from the end of the warm-up to the end, by the Theil-Sen slope.

        It is the median of the slopes between all pairs of points, so single peaks and a third of wrong points do not
        change it.
        """
        points = self.judged()
        slopes = [(b - a) / (later - at) for (at, a), (later, b) in combinations(points, 2) if later > at]
        return median(slopes) * (points[-1][0] - points[0][0]) if slopes else 0.0

    @property
    def is_flat(self) -> bool:
        return self.growth() <= GROWTH[self.unit]


def memory(pid: int) -> float:
    """The resident memory of a process in MiB."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE / MEBIBYTE


def files_and_connections(pid: int) -> tuple[int, int]:
    """The open file descriptors of a process, and how many of them are sockets."""
    targets = []
    for one in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            targets.append(str(one.readlink()))
    return len(targets), sum(target.startswith("socket:") for target in targets)


COLORS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5")
WIDTH, HEIGHT, LEFT, GAP = 900, 150, 60, 40


def svg(series: list[Series]) -> str:
    """A panel for each unit, with a line for each series."""
    units = [unit for unit in GROWTH if any(one.unit == unit for one in series)]
    panels = [
        _panel([one for one in series if one.unit == unit], unit, GAP + number * (HEIGHT + GAP))
        for number, unit in enumerate(units)
    ]
    height = GAP + len(units) * (HEIGHT + GAP)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">'
    return "\n".join([head, f'<rect width="{WIDTH}" height="{height}" fill="white"/>', *panels, "</svg>"]) + "\n"


def _panel(series: list[Series], unit: str, top: int) -> str:
    values = [value for one in series for _, value in one.points] or [0.0]
    times = [at for one in series for at, _ in one.points] or [0.0]
    highest, last = max(values) or 1.0, max(times) or 1.0
    span = WIDTH - LEFT - GAP

    def place(at: float, value: float) -> str:
        return f"{LEFT + span * at / last:.1f},{top + HEIGHT * (1 - value / highest):.1f}"

    what = f"{unit}, MiB" if unit in ("memory", "redis") else unit
    texts = [
        f'<text x="{LEFT}" y="{top - 8}" font-size="13">{what}: {", ".join(one.name for one in series)}</text>',
        f'<text x="{LEFT - 6}" y="{top + 10}" font-size="11" text-anchor="end">{highest:.0f}</text>',
        f'<text x="{LEFT - 6}" y="{top + HEIGHT}" font-size="11" text-anchor="end">0</text>',
        f'<text x="{WIDTH - GAP}" y="{top + HEIGHT + 14}" font-size="11" text-anchor="end">{last:.0f} s</text>',
        f'<path d="M{LEFT} {top}V{top + HEIGHT}H{WIDTH - GAP}" fill="none" stroke="#999"/>',
    ]
    lines = [
        f'<polyline fill="none" stroke="{COLORS[number % len(COLORS)]}" '
        f'points="{" ".join(place(*point) for point in one.points)}"><title>{one.name}</title></polyline>'
        for number, one in enumerate(series)
    ]
    return "\n".join([*texts, *lines])
