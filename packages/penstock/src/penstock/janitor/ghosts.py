"""Ghosts: consumers of another make whose process is gone. Ours are known by their lease, and the sweeper has them."""

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
    """What became of one ghost."""

    done: bool
    suspects: int
    """Entries that it held."""
    lost: int
    """Entries that somebody had deleted from the stream."""


class Ghosts:
    """Finds them, and removes them when they own nothing any more."""

    def __init__(self, link: Link, keys: PipelineKeys, idle: int, pods: PodsApi) -> None:
        """`idle`: ms for which a consumer must not have asked for anything, before anybody looks for its pod."""
        self._link = link
        self._keys = keys
        self._idle = idle
        self._pods = pods

    async def find(self) -> list[GroupConsumer]:
        """Idle, and no pod that is there has a name that is part of the consumer's. Raises PodsUnknownError.

        A worker that waits for its first message for long is idle too, and a list of pods that was not answered says
        nothing: only both together make a ghost. Nobody is asked while no consumer is idle for so long.
        """
        idle = [one for one in await foreign_consumers(self._link, self._keys) if one.idle >= self._idle]
        if not idle:
            return []
        pods = [name.encode() for name in await asyncio.to_thread(self._pods.names)]
        return [one for one in idle if not any(pod in one.name for pod in pods)]

    async def remove(self, ghost: GroupConsumer) -> GhostRemoval:
        """Page by page; the script looks again each time whether it is idle, and deletes it only when it is empty."""
        suspects = lost = 0
        while True:
            reply = await self._link.run(
                script("remove_ghost"),
                (self._keys.stream, self._keys.alive),
                (self._keys.group, ghost.name, self._idle, PAGE),
            )
            answer, taken, gone = items(reply)
            suspects, lost = suspects + number(taken), lost + number(gone)
            if text(answer) != "more":
                return GhostRemoval(text(answer) == "done", suspects, lost)
