"""Reads the next messages while these run, where that is faster.

A read for all slots leaves a worker without work until Redis answers. If it reads half of them at a time, the others
run meanwhile. But this takes two round trips instead of one. It is slower if the handlers compute for a shorter time
than a round trip takes, or wait for something themselves. So the worker measures it.
"""

from __future__ import annotations

from penstock.clocks import Clocks
from penstock.worker.slots import Slots

TRIAL = 8
"""Reads for half of the slots that are measured together, because other processes may disturb one."""
PAUSE = 128
"""Reads for all slots before halves are tried again."""


class ReadAhead:
    """Decides how many slots a read may fill."""

    def __init__(self, slots: Slots, clocks: Clocks) -> None:
        self._slots = slots
        self._monotonic = clocks.monotonic
        self._cpu = clocks.cpu
        self._more_wait = False
        self._pause = 0
        self._measured = 0
        self._idle = 0.0
        """Seconds of a trial without work, less those with work."""
        self._asked_at: tuple[float, float] | None = None

    @property
    def pauses(self) -> bool:
        """Whether reads are for all slots. Then handlers that do not wait must end first, or half of them are taken."""
        return self._more_wait and self._pause > 0

    def count(self, free: int) -> int:
        """How many of the free slots the next read may fill."""
        self._asked_at = None
        if not self._more_wait:
            return free
        if self._pause:
            self._pause -= 1
            return free
        running = self._slots.running
        if running:  # or there is nothing that this read could overlap with
            self._asked_at = self._monotonic(), self._cpu()
        return min(free, -(-(running + free) // 2))

    def received(self, messages: int, asked: int) -> None:
        """Note the answer to a read, before its messages start. More may wait if it has as many as requested."""
        self._more_wait = messages >= asked
        if not self._more_wait or self._asked_at is None:
            return
        began, cpu = self._asked_at
        self._idle += (self._monotonic() - began) - 2 * (self._cpu() - cpu)
        self._measured += 1
        if self._measured == TRIAL:
            if self._idle > 0:
                self._pause = PAUSE
            self._measured, self._idle = 0, 0.0
