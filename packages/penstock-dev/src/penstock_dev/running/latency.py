"""Recent handling times, from the histogram buckets of the workers' metrics."""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Mapping

from penstock_spec.kinds.pipeline.metrics.working import HANDLING_SECONDS

WINDOW = 10
"""Number of samples that count."""
LINE = re.compile(rf'^{HANDLING_SECONDS.name}_bucket\{{[^}}]*?\ble="([^"]+)"[^}}]*\}} (\S+)', re.MULTILINE)

Counts = Mapping[float, float]
"""Cumulative counts by upper bound."""


def buckets(page: str) -> dict[float, float]:
    """The buckets of a metrics page, summed over all outcomes."""
    totals: dict[float, float] = {}
    for bound, count in LINE.findall(page):
        totals[float(bound)] = totals.get(float(bound), 0) + float(count)
    return totals


def quantile(share: float, counts: Counts) -> float | None:
    """The quantile as in Prometheus's `histogram_quantile`, with linear interpolation within a bucket."""
    total = counts.get(math.inf, 0)
    if not total:
        return None
    below, before = 0.0, 0.0
    for bound in sorted(counts):
        if counts[bound] >= share * total:
            if math.isinf(bound):
                return below
            inside = counts[bound] - before
            return below + (bound - below) * ((share * total - before) / inside if inside else 1)
        below, before = bound, counts[bound]
    return below


class Latency:
    """Handling times over the last samples of processes that start and stop."""

    def __init__(self) -> None:
        """Start without samples."""
        self._last: dict[int, Counts] = {}
        self._deltas: deque[dict[float, float]] = deque(maxlen=WINDOW)

    def add(self, pages: Mapping[int, str]) -> None:
        """Add a sample: the metrics page of each process that responded, by pid."""
        now = {pid: buckets(page) for pid, page in pages.items()}
        delta: dict[float, float] = {}
        for pid, counts in now.items():
            before = self._last.get(pid, {})
            for bound, count in counts.items():
                delta[bound] = delta.get(bound, 0) + count - before.get(bound, 0)
        self._last = {**{pid: counts for pid, counts in self._last.items() if pid in pages}, **now}
        self._deltas.append(delta)

    def quantile(self, share: float) -> float | None:
        """The quantile in seconds, or None if no handler returned recently."""
        total: dict[float, float] = {}
        for delta in self._deltas:
            for bound, count in delta.items():
                total[bound] = total.get(bound, 0) + count
        return quantile(share, total)
