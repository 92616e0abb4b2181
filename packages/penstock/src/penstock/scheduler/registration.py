"""How a pod's consumer is held in Redis: a lease in the set of pods."""

from __future__ import annotations

from penstock.clocks import Clocks
from penstock.scheduler.job_steps import JobSteps


class PodRegistration:
    """Asked in the lease's own thread; what it remembers may be seen from any."""

    def __init__(self, steps: JobSteps, clocks: Clocks) -> None:
        """No consumer yet."""
        self._steps = steps
        self._monotonic = clocks.monotonic
        self.consumer = ""
        self.renewed_at = clocks.monotonic()
        """Monotonic time at which the last renewal that Redis accepted was sent."""

    async def begin(self, consumer: str, lease: int) -> bool:
        """A new one."""
        sent = self._monotonic()
        _, alive = await self._steps.lease(consumer, lease, "begin")
        self.consumer, self.renewed_at = consumer, sent
        return alive

    async def renew(self, consumer: str, lease: int) -> bool:
        """It goes on, unless somebody has judged it lost."""
        sent = self._monotonic()
        _, alive = await self._steps.lease(consumer, lease, "renew")
        if alive:
            self.renewed_at = sent
        return alive
