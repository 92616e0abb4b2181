"""How many messages this worker may still take."""

from __future__ import annotations

import asyncio
import heapq

from penstock.clocks import Clocks
from penstock.worker.settler import Settler


class Slots:
    """Room for messages.

    One that runs takes a slot, also when its handler outlives its time; so does an outcome that Redis refused, and what
    gathers beyond a second set of slots: reading must not run away from settling.
    """

    def __init__(
        self,
        concurrency: int,
        most_held: int,
        settler: Settler,
        clocks: Clocks,
        changed: asyncio.Event,
    ) -> None:
        """`most_held` counts what this worker parked too, until it is due."""
        self.concurrency = concurrency
        self._most_held = most_held
        self._settler = settler
        self._monotonic = clocks.monotonic
        self._parked: list[float] = []
        self.running = 0
        self.changed = changed
        """Set when there may be more room than before."""

    @property
    def free(self) -> int:
        """Messages that may be taken now, of any kind."""
        unsettled = self._settler.unsettled
        if unsettled:
            kept = min(self._settler.kept, unsettled)
            unsettled = kept + max(0, unsettled - kept - self.concurrency)
        return self.concurrency - self.running - unsettled

    @property
    def refused(self) -> int:
        """Those that are taken by outcomes that Redis refused."""
        return self._settler.kept

    @property
    def free_for_new(self) -> int:
        """Messages that nobody was given before: none while this worker parked too much that is not due."""
        parked = self.parked
        return min(self.free, self._most_held - self.running - parked) if parked else self.free

    @property
    def parked(self) -> int:
        """What this worker parked and is not due."""
        due = self._monotonic()
        while self._parked and self._parked[0] <= due:
            heapq.heappop(self._parked)
        return len(self._parked)

    def park(self, seconds: float) -> None:
        """One more waits for its time."""
        heapq.heappush(self._parked, self._monotonic() + seconds)

    def next_due(self) -> float | None:
        """Seconds until one of those is due."""
        return max(0.0, self._parked[0] - self._monotonic()) if self.parked else None

    def release(self) -> None:
        """One less runs."""
        self.running -= 1
        self.changed.set()
