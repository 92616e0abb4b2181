"""Registers a worker in Redis as a consumer of its group, with a lease."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.keys import PipelineKeys
from penstock.scripts import script
from penstock.wire.link import Link


@dataclass(frozen=True, slots=True)
class ConsumerRegistration:
    """A consumer in the group of one pipeline."""

    link: Link
    keys: PipelineKeys

    async def begin(self, consumer: str, lease: int) -> bool:
        """Register a consumer; False if the name exists."""
        keys = self.keys
        return await self.link.run(script("register"), (keys.stream, keys.alive), (keys.group, consumer, lease)) == 1

    async def renew(self, consumer: str, lease: int) -> bool:
        """Renew its lease; False if it has expired."""
        return await self.link.run(script("renew"), (self.keys.alive,), (consumer, lease)) == 1
