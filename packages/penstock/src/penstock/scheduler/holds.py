"""How a pod's life is held in Redis: a lease in the set of pods."""

from __future__ import annotations

from penstock.clocks import Clocks
from penstock.scheduler.steps import Steps


class PodHolds:
    """Asked in the lease's own thread; what it remembers may be seen from any."""

    def __init__(self, steps: Steps, clocks: Clocks) -> None:
        """No life yet."""
        self._steps = steps
        self._monotonic = clocks.monotonic
        self.life = ""
        self.renewed_at = clocks.monotonic()
        """Monotonic time at which the last renewal that Redis accepted was sent."""

    async def begin(self, life: str, lease: int) -> bool:
        """A new one."""
        sent = self._monotonic()
        _, lives = await self._steps.lease(life, lease, "begin")
        self.life, self.renewed_at = life, sent
        return lives

    async def renew(self, life: str, lease: int) -> bool:
        """It goes on, unless somebody has judged it lost."""
        sent = self._monotonic()
        _, lives = await self._steps.lease(life, lease, "renew")
        if lives:
            self.renewed_at = sent
        return lives
