"""A Redis that makes room by deleting keys loses whole streams: the worker says so when it starts."""

from __future__ import annotations

from penstock.wire.errors import Refused
from penstock.wire.link import Link

KEEPS = b"noeviction"
UNBOUNDED = b"0"


async def evicts(link: Link) -> str | None:
    """The policy by which this Redis would delete keys; nothing where it keeps all, or may not be asked."""
    try:
        told = await link.call("INFO", "memory")
    except Refused:
        return None
    lines = told.split() if isinstance(told, bytes) else []
    said = dict(line.split(b":", 1) for line in lines if b":" in line)
    policy = said.get(b"maxmemory_policy", KEEPS)
    return None if policy == KEEPS or said.get(b"maxmemory") == UNBOUNDED else policy.decode()
