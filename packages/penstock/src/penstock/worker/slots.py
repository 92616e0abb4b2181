"""Counts the slots of a worker: how many more messages it may take."""

from __future__ import annotations

import asyncio
import heapq

from penstock.clocks import Clocks
from penstock.worker.settler import Settler


class Slots:
    """Counts free slots.

    A running message takes a slot, and so does an abandoned handler or a step that Redis refused. If more steps wait
    than there are slots, the excess takes slots as well, so that reading does not outrun settling.

    Dead letters that Redis refuses, such as for a key of the wrong type, must not stop messages that it would settle:
    as many as there are slots take none.
    """

    def __init__(
        self,
        concurrency: int,
        most_held: int | None,
        settler: Settler,
        clocks: Clocks,
        changed: asyncio.Event,
    ) -> None:
        """`most_held` limits the running messages plus those that this worker parked and that are not due, if set."""
        self.concurrency = concurrency
        self._most_held = most_held
        self._settler = settler
        self._monotonic = clocks.monotonic
        self._parked: list[float] = []
        self.running = 0
        self.changed = changed
        """Set when there may be more free slots."""

    @property
    def free(self) -> int:
        """The number of messages of any kind that may be taken now."""
        unsettled = self._settler.unsettled
        if unsettled:
            kept = min(self._settler.kept, unsettled)
            excess = max(0, unsettled - kept - self.concurrency)
            unsettled = kept - min(self._settler.kept_dead, self.concurrency, kept) + excess
        return self.concurrency - self.running - unsettled

    @property
    def refused(self) -> int:
        """The number of slots that are taken by steps that Redis refused."""
        return self._settler.kept

    @property
    def free_for_new(self) -> int:
        """The number of new messages that may be taken now; 0 or less while this worker has parked too many."""
        if self._most_held is None or not (parked := self.parked):
            return self.free
        return min(self.free, self._most_held - self.running - parked)

    @property
    def parked(self) -> int:
        """The number of messages that this worker parked and that are not due yet."""
        due = self._monotonic()
        while self._parked and self._parked[0] <= due:
            heapq.heappop(self._parked)
        return len(self._parked)

    def park(self, seconds: float) -> None:
        """Count a message that is due in this many seconds, if there is a limit."""
        if self._most_held is not None:
            heapq.heappush(self._parked, self._monotonic() + seconds)

    def correct_parked(self, in_redis: int) -> None:
        """Forget parked messages beyond those that Redis has: they were promoted early, or the key was deleted."""
        most = in_redis + self._settler.unsettled
        if self.parked > most:
            self._parked = heapq.nsmallest(most, self._parked)
            self.changed.set()

    def next_due(self) -> float | None:
        """Seconds until the next parked message is due; None if there is none."""
        return max(0.0, self._parked[0] - self._monotonic()) if self.parked else None

    @property
    def full_of_refused(self) -> bool:
        """Whether Redis refuses as many steps as there are slots. May be called from any thread."""
        return self._settler.kept >= self.concurrency

    def release(self) -> None:
        """Free the slot of a running message."""
        self.running -= 1
        self.changed.set()
