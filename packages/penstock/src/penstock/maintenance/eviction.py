"""Detects a Redis that deletes keys when its memory is full: it would lose complete streams."""

from __future__ import annotations

from penstock.wire.errors import Refused
from penstock.wire.link import Link

NO_EVICTION = b"noeviction"
UNBOUNDED = b"0"


async def eviction_policy(link: Link) -> str | None:
    """The policy by which this Redis would delete keys; None if it deletes none, or if the user may not read it."""
    try:
        reply = await link.call("INFO", "memory")
    except Refused:
        return None
    lines = reply.split() if isinstance(reply, bytes) else []
    settings = dict(line.split(b":", 1) for line in lines if b":" in line)
    policy = settings.get(b"maxmemory_policy", NO_EVICTION)
    return None if policy == NO_EVICTION or settings.get(b"maxmemory") == UNBOUNDED else policy.decode()
