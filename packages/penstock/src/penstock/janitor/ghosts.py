"""Ghosts: foreign consumers whose process is gone. Penstock's consumers have leases, and are taken over instead."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from penstock.janitor.consumers import GroupConsumer, foreign_consumers
from penstock.janitor.kubernetes_pods import PodsApi
from penstock.keys import PipelineKeys
from penstock.maintenance.replies import items, number, text
from penstock.scripts import script
from penstock.wire.link import Link

PAGE = 250


@dataclass(frozen=True, slots=True)
class GhostRemoval:
    """The result for one ghost."""

    done: bool
    suspects: int
    """Entries that it owned; they are suspect now."""
    lost: int
    """Entries that were deleted from the stream."""


class Ghosts:
    """Finds ghosts, and removes them."""

    def __init__(self, link: Link, keys: PipelineKeys, idle: int, pods: PodsApi) -> None:
        """`idle`: milliseconds without a call, after which the janitor checks whether the consumer's pod exists."""
        self._link = link
        self._keys = keys
        self._idle = idle
        self._pods = pods

    async def find(self) -> list[GroupConsumer]:
        """Idle foreign consumers whose name contains the name of no existing pod. Raises PodsUnknownError.

        Both conditions are required: a worker that waits long for its first message is idle, too. Kubernetes is only
        called if a consumer is idle.
        """
        idle = [consumer for consumer in await foreign_consumers(self._link, self._keys) if consumer.idle >= self._idle]
        if not idle:
            return []
        pods = [name.encode() for name in await asyncio.to_thread(self._pods.names)]
        return [consumer for consumer in idle if not any(pod in consumer.name for pod in pods)]

    async def remove(self, ghost: GroupConsumer) -> GhostRemoval:
        """Remove a ghost page by page. The script checks again that it is idle, and deletes it when it owns nothing."""
        suspects = lost = 0
        while True:
            reply = await self._link.run(
                script("remove_ghost"),
                (self._keys.stream, self._keys.alive),
                (self._keys.group, ghost.name, self._idle, PAGE),
            )
            answer, moved, gone = items(reply)
            suspects, lost = suspects + number(moved), lost + number(gone)
            if text(answer) != "more":
                return GhostRemoval(text(answer) == "done", suspects, lost)
