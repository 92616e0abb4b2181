"""How long handlers took lately, from the buckets that workers count into."""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Mapping

from penstock_spec.kinds.pipeline.metrics.working import HANDLING_SECONDS

LOOKS = 10
"""How many looks back count."""
LINE = re.compile(rf'^{HANDLING_SECONDS.name}_bucket\{{[^}}]*?\ble="([^"]+)"[^}}]*\}} (\S+)', re.MULTILINE)

Counts = Mapping[float, float]
"""By upper bound: how many took no longer."""


def buckets(page: str) -> dict[float, float]:
    """Of all outcomes together."""
    found: dict[float, float] = {}
    for bound, count in LINE.findall(page):
        found[float(bound)] = found.get(float(bound), 0) + float(count)
    return found


def quantile(share: float, counts: Counts) -> float | None:
    """As Prometheus's `histogram_quantile` tells it: in between two bounds all is spread evenly."""
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
    """What was counted between the last looks at processes that come and go."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._last: dict[int, Counts] = {}
        self._grown: deque[dict[float, float]] = deque(maxlen=LOOKS)

    def look(self, pages: Mapping[int, str]) -> None:
        """At the page of each process that gave one, by its number."""
        now = {pid: buckets(page) for pid, page in pages.items()}
        grown: dict[float, float] = {}
        for pid, counts in now.items():
            before = self._last.get(pid, {})
            for bound, count in counts.items():
                grown[bound] = grown.get(bound, 0) + count - before.get(bound, 0)
        self._last = {**{pid: counts for pid, counts in self._last.items() if pid in pages}, **now}
        self._grown.append(grown)

    def of(self, share: float) -> float | None:
        """Seconds that so many did not take longer than; None where nothing ended lately."""
        together: dict[float, float] = {}
        for grown in self._grown:
            for bound, count in grown.items():
                together[bound] = together.get(bound, 0) + count
        return quantile(share, together)
