"""Registers a pod's consumer in Redis, with a lease in the set of pods."""

from __future__ import annotations

from penstock.clocks import Clocks
from penstock.scheduler.job_steps import JobSteps


class PodRegistration:
    """Called in the side loop; its attributes may be read from any thread."""

    def __init__(self, steps: JobSteps, clocks: Clocks) -> None:
        """No consumer is registered yet."""
        self._steps = steps
        self._monotonic = clocks.monotonic
        self.consumer = ""
        self.renewed_at = clocks.monotonic()
        """Monotonic time at which the last renewal that Redis accepted was sent."""

    async def begin(self, consumer: str, lease: int) -> bool:
        """Register a new consumer."""
        sent = self._monotonic()
        _, alive = await self._steps.lease(consumer, lease, "begin")
        self.consumer, self.renewed_at = consumer, sent
        return alive

    async def renew(self, consumer: str, lease: int) -> bool:
        """Extend the lease, unless another pod treats the consumer as lost."""
        sent = self._monotonic()
        _, alive = await self._steps.lease(consumer, lease, "renew")
        if alive:
            self.renewed_at = sent
        return alive
