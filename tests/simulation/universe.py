"""Virtual time: nothing sleeps. When no loop is ready, time jumps to the next event.

Each simulated process has its own event loops, which this module drives one step at a time. A suspended process does
nothing while time passes, as under SIGSTOP; a killed one is never resumed.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from random import Random

from .event_loop import Loop, Scheduled

START = 1000.0
"""The time of the clocks at the start of a simulation."""
FAIRNESS = 200_000
"""The number of steps without progress of time that counts as an endless loop."""


def seeded_random(seed: str) -> Random:
    """A generator whose random numbers depend only on the seed."""
    return Random(seed)  # noqa: S311 - it chooses faults, no secrets


class NoProgressError(AssertionError):
    """Code runs in an endless loop while no time passes."""


class Universe:
    """The virtual time of all processes."""

    def __init__(self, rng: Random) -> None:
        self.now = START
        self.has_stopped = False
        """Whether no more time may pass."""
        self._random = rng.random
        self._agenda: list[tuple[float, int, Scheduled]] = []
        self._number = 0
        self._turns: list[Loop] = []
        """The loops that have something to run."""
        self._loops: list[Loop] = []

    def clock(self) -> float:
        """Seconds, as from `time.monotonic`."""
        return self.now

    def at(self, when: float, call: Callable[..., object], *args: object) -> Scheduled:
        """Schedule a call outside of all processes."""
        item = Scheduled(call, args)
        self._number += 1
        heapq.heappush(self._agenda, (when, self._number, item))
        return item

    def after(self, seconds: float, call: Callable[..., object], *args: object) -> Scheduled:
        item = Scheduled(call, args)
        self._number += 1
        heapq.heappush(self._agenda, (self.now + seconds, self._number, item))
        return item

    def schedule(self, when: float, item: Scheduled) -> None:
        """Schedule a timer of a loop."""
        self._number += 1
        heapq.heappush(self._agenda, (when, self._number, item))

    def loop(self, name: str) -> Loop:
        """Create an event loop for a process or one of its threads."""
        loop = Loop(self, name)  # type: ignore[abstract] # asyncio calls none of the methods that it lacks
        self._loops.append(loop)
        return loop

    def has_work(self, loop: Loop) -> None:
        """Give a loop a turn."""
        if not loop.suspended:
            loop.is_queued = True
            self._turns.append(loop)

    def run(self, until: float, is_done: Callable[[], bool] | None = None) -> bool:
        """Let time pass until then, or until `is_done`, checked before time moves; return whether it was done."""
        steps = 0
        turns, agenda, random, pop = self._turns, self._agenda, self._random, heapq.heappop
        while True:
            while turns:
                count = len(turns)
                loop = turns.pop() if count == 1 else turns.pop(int(random() * count))
                loop.is_queued = False
                loop.once()
                steps += 1
                if steps > FAIRNESS:
                    raise NoProgressError(loop.name)
            while agenda and agenda[0][2].is_cancelled:
                pop(agenda)
            if agenda and agenda[0][0] <= self.now:
                item = pop(agenda)[2]
                if item.loop is None:
                    item.call(*item.args)
                else:
                    item.loop.is_due(item)
                continue
            if self.has_stopped:
                return False
            if is_done is not None and is_done():
                return True
            steps = 0
            if not agenda or agenda[0][0] > until:
                self.now = max(self.now, until)
                return False
            self.now = agenda[0][0]

    def end(self) -> None:
        """End everything: cancel tasks, so that nothing stays open, and close loops."""
        for loop in self._loops:
            loop.unwind()
        self._loops.clear()
        self._turns.clear()
        self._agenda.clear()
