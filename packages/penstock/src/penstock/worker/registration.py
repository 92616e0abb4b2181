"""How a worker's life is held in Redis: a consumer of the group, and its lease."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.keys import PipelineKeys
from penstock.scripts import script
from penstock.wire.link import Link


@dataclass(frozen=True, slots=True)
class ConsumerRegistration:
    """In the group of one pipeline."""

    link: Link
    keys: PipelineKeys

    async def begin(self, life: str, lease: int) -> bool:
        """A consumer of this name."""
        keys = self.keys
        return await self.link.run(script("register"), (keys.stream, keys.alive), (keys.group, life, lease)) == 1

    async def renew(self, life: str, lease: int) -> bool:
        """Its lease goes on."""
        return await self.link.run(script("renew"), (self.keys.alive,), (life, lease)) == 1
