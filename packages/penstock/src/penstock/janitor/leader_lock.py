"""The lock of the leader. It saves work; what keeps messages safe is in each script."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable

from penstock.keys import PipelineKeys
from penstock.scripts import script
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.keys import LOCKS

HOLDS = 5000
"""Milliseconds until the lock expires without renewal: for that long nobody works after a leader died."""
EVERY = 1.5
"""Seconds between two attempts."""


def lock_of(environment: str, pipelines: Iterable[PipelineKeys]) -> str:
    """The key of the lock, which depends on the pipelines: a janitor of other pipelines has another leader.

    Two repositories on one Redis may both have an environment `production`; with one lock for both, nobody would
    maintain the pipelines of one of them.
    """
    named = "\n".join(sorted(f"{keys.stream}\t{keys.group}" for keys in pipelines))
    digest = hashlib.sha256(named.encode()).hexdigest()[:16]
    return f"{LOCKS.format(environment=environment)}{digest}"


class LeaderLock:
    """Tried again and again; the first janitor keeps it as long as it goes on."""

    def __init__(self, link: Link, key: str) -> None:
        """The name is random, so that a restarted janitor counts as another one."""
        self._link = link
        self._key = key
        self._name = secrets.token_hex(8)

    async def ask(self) -> bool:
        """Take or renew it. Returns whether this janitor is the leader."""
        return await self._link.run(script("lead"), (self._key,), (self._name, HOLDS)) == 1

    async def give_up(self) -> None:
        """Leave it to the next janitor that tries."""
        await self._link.run(script("lead"), (self._key,), (self._name, 0))
