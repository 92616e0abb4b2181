"""The lock of the leader. It only prevents double work; the scripts keep messages safe even with two leaders."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable

from penstock.keys import PipelineKeys
from penstock.scripts import script
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.keys import LOCKS

EXPIRES_AFTER = 5000
"""Milliseconds until the lock expires without renewal. After a leader died, no janitor works for so long."""
EVERY = 1.5
"""Seconds between two attempts."""


def lock_of(environment: str, pipelines: Iterable[PipelineKeys]) -> str:
    """The key of the lock, which depends on the pipelines: janitors of other pipelines have their own leader.

    Two repositories on one Redis may both have an environment `production`; with one lock for both, the pipelines of
    one of them would not be maintained.
    """
    lines = "\n".join(sorted(f"{keys.stream}\t{keys.group}" for keys in pipelines))
    digest = hashlib.sha256(lines.encode()).hexdigest()[:16]
    return f"{LOCKS.format(environment=environment)}{digest}"


class LeaderLock:
    """The first janitor that takes the lock keeps it for as long as it renews it."""

    def __init__(self, link: Link, key: str) -> None:
        """The name is random, so that a restarted janitor counts as another one."""
        self._link = link
        self._key = key
        self._name = secrets.token_hex(8)

    async def take(self) -> bool:
        """Take or renew the lock; return whether this janitor is the leader."""
        return await self._link.run(script("lead"), (self._key,), (self._name, EXPIRES_AFTER)) == 1

    async def give_up(self) -> None:
        """Release the lock."""
        await self._link.run(script("lead"), (self._key,), (self._name, 0))
