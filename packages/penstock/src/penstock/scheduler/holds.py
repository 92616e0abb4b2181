"""How a pod's life is held in Redis: a lease in the set of pods."""

from __future__ import annotations

from collections.abc import Callable

from penstock.scheduler.steps import Steps


class PodHolds:
    """Asked in the lease's own thread; what it remembers may be seen from any."""

    def __init__(self, steps: Steps, own: Callable[[], float]) -> None:
        """No life yet."""
        self._steps = steps
        self._own = own
        self.life = ""
        self.renewed_at = own()
        """On the pod's own clock, when the last renewal was sent that Redis took."""

    async def begin(self, life: str, lease: int) -> bool:
        """A new one."""
        sent = self._own()
        _, lives = await self._steps.lease(life, lease, "begin")
        self.life, self.renewed_at = life, sent
        return lives

    async def renew(self, life: str, lease: int) -> bool:
        """It goes on, unless somebody has judged it lost."""
        sent = self._own()
        _, lives = await self._steps.lease(life, lease, "renew")
        if lives:
            self.renewed_at = sent
        return lives
