"""What the keys of the screen do. Quitting is no part of it: the screen ends, and whoever showed it cleans up."""

from __future__ import annotations

from typing import Protocol


class Control(Protocol):
    """Each says in a few words what it did, for one line of the screen; or raises CannotGoOn, which is shown there."""

    async def send(self, spec: str, count: int) -> str:
        """Messages to a pipeline, with bodies that fit its schema; see `penstock_dev.sample`."""
        ...

    async def kill(self, spec: str, worker: str | None) -> str:
        """SIGKILL to the worker of that name; to the one that has most to do where none is named."""
        ...

    async def stop_redis(self) -> str:
        """As if its machine were gone: nothing is asked first. Only one of ours can be stopped."""
        ...

    async def start_redis(self) -> str:
        """Bring back what was stopped, at the same address and with what it had written down."""
        ...

    async def pause(self, spec: str) -> str:
        """Let scaling stand still, as KEDA's annotation `autoscaling.keda.sh/paused` does; workers go on."""
        ...

    async def resume(self, spec: str) -> str:
        """Let scaling go on."""
        ...
