"""The actions behind the screen's keys. Quitting is not one of them: the screen closes, and its caller cleans up."""

from __future__ import annotations

from typing import Protocol


class Control(Protocol):
    """Each action returns its result in a few words, for a line of the screen, or raises CannotGoOn with the reason."""

    async def send(self, spec: str, count: int) -> str:
        """Send sample messages that fit the pipeline's schema; see `penstock_dev.sample`."""
        ...

    async def kill(self, spec: str, worker: str | None) -> str:
        """Send SIGKILL to the named worker, or to the busiest one."""
        ...

    async def stop_redis(self) -> str:
        """Kill Redis, as if its machine failed. Only a Redis that `penstock dev` started can be stopped."""
        ...

    async def start_redis(self) -> str:
        """Restart the stopped Redis at the same address, with its saved data."""
        ...

    async def pause(self, spec: str) -> str:
        """Pause scaling, as KEDA's annotation `autoscaling.keda.sh/paused` does. Workers keep running."""
        ...

    async def resume(self, spec: str) -> str:
        """Resume scaling."""
        ...
