"""One of several janitors works, the others stand by. That saves work; what keeps messages safe is in each script."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable

from penstock.keys import PipelineKeys
from penstock.scripts import script
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.keys import LOCKS

HOLDS = 5000
"""ms that a lock holds without being renewed: for so long nobody works when a leader dies."""
EVERY = 1.5
"""Seconds between two questions."""


def lock_of(environment: str, pipelines: Iterable[PipelineKeys]) -> str:
    """The lock's key. It names the pipelines: whoever tends others, as after a change of specs, leads beside us.

    Two repositories on one Redis may both call their environment `production`; if they shared a lock, the
    pipelines of one of them would be tended by nobody.
    """
    named = "\n".join(sorted(f"{keys.stream}\t{keys.group}" for keys in pipelines))
    digest = hashlib.sha256(named.encode()).hexdigest()[:16]
    return f"{LOCKS.format(environment=environment)}{digest}"


class LeaderLock:
    """Asked for again and again; whoever was first keeps it while it asks."""

    def __init__(self, link: Link, key: str) -> None:
        """A life of its own, so that a janitor that starts again is another."""
        self._link = link
        self._key = key
        self._name = secrets.token_hex(8)

    async def ask(self) -> bool:
        """Whether it is ours now."""
        return await self._link.run(script("lead"), (self._key,), (self._name, HOLDS)) == 1

    async def give_up(self) -> None:
        """The next who asks has it."""
        await self._link.run(script("lead"), (self._key,), (self._name, 0))
