"""Decides how many suspects a worker runs at a time, besides what its memory allows."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

from penstock.isolation.runs import Crashed
from penstock.worker.context import Context
from penstock.worker.delivery import Delivery
from penstock.worker.outcome import NotStarted, Outcome

FIRST = 8
"""Suspects at a time until some have ended: if one of them ends the whole pod, the others are lost once more."""
MOST = 32
"""Each needs a process, and often connections of its own. It has a slot, so `work.concurrency` limits them as well."""
UNMEASURED = 4
"""Suspects at a time where the memory cannot be read."""


class SuspectPace:
    """Doubles with each round of suspects that end without a crash, and halves with a crash.

    A message that crashes by its memory may end the pod with everything in it. Then few suspects are lost again;
    without such a message, the messages of a lost worker all run again soon.
    """

    def __init__(self) -> None:
        """As few as at first."""
        self.most = FIRST

    def ended(self, *, crashed: bool) -> None:
        """Note that a suspect in a child process has ended."""
        self.most = max(FIRST, self.most // 2) if crashed else min(MOST, self.most + 1)


class SuspectRunner(Protocol):
    """Runs a suspect in a child process."""

    def run(self, delivery: Delivery, context: Context) -> Awaitable[Outcome]:
        """Run one attempt."""


class PacedRunner:
    """Runs suspects, and tells the pace how they ended."""

    def __init__(self, runner: SuspectRunner, pace: SuspectPace) -> None:
        self._runner = runner
        self._pace = pace

    async def run(self, delivery: Delivery, context: Context) -> Outcome:
        """Run one attempt."""
        outcome = await self._runner.run(delivery, context)
        if not isinstance(outcome, NotStarted):
            self._pace.ended(crashed=isinstance(outcome, Crashed))
        return outcome
