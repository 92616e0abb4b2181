"""The slots of a worker: how many messages it may still take."""

from __future__ import annotations

import asyncio
import heapq

from penstock.clocks import Clocks
from penstock.worker.settler import Settler


class Slots:
    """Counts free slots.

    A running message takes a slot, also when its handler is abandoned; so does a step that Redis refused. Steps that
    wait beyond the number of slots take slots too, as reading must not outrun settling.
    """

    def __init__(
        self,
        concurrency: int,
        most_held: int,
        settler: Settler,
        clocks: Clocks,
        changed: asyncio.Event,
    ) -> None:
        """`most_held` limits running messages and those that this worker parked and that are not due."""
        self.concurrency = concurrency
        self._most_held = most_held
        self._settler = settler
        self._monotonic = clocks.monotonic
        self._parked: list[float] = []
        self.running = 0
        self.changed = changed
        """Set when there may be more free slots than before."""

    @property
    def free(self) -> int:
        """The number of messages of any kind that may be taken now."""
        unsettled = self._settler.unsettled
        if unsettled:
            kept = min(self._settler.kept, unsettled)
            unsettled = kept + max(0, unsettled - kept - self.concurrency)
        return self.concurrency - self.running - unsettled

    @property
    def refused(self) -> int:
        """The number of slots that are taken by steps that Redis refused."""
        return self._settler.kept

    @property
    def free_for_new(self) -> int:
        """The number of new messages that may be taken now: none while this worker has parked too many."""
        parked = self.parked
        return min(self.free, self._most_held - self.running - parked) if parked else self.free

    @property
    def parked(self) -> int:
        """The number of messages that this worker parked and that are not due."""
        due = self._monotonic()
        while self._parked and self._parked[0] <= due:
            heapq.heappop(self._parked)
        return len(self._parked)

    def park(self, seconds: float) -> None:
        """Count a message that is due after so many seconds."""
        heapq.heappush(self._parked, self._monotonic() + seconds)

    def next_due(self) -> float | None:
        """Seconds until the next of them is due."""
        return max(0.0, self._parked[0] - self._monotonic()) if self.parked else None

    def release(self) -> None:
        """Free the slot of a running message."""
        self.running -= 1
        self.changed.set()
