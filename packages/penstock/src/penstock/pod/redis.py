"""How Redis is, as a pod sees it: over a connection of its own, made and let go, as the others are for work."""

from __future__ import annotations

import time

from penstock.observe.health import RedisHealth
from penstock.wire.errors import Refused
from penstock.wire.link import Link
from penstock.wire.words import Word


async def redis_health(link: Link, *finds: Word) -> RedisHealth:
    """`finds` is a command that Redis refuses where what the pod works on is not there, or is no such thing."""
    try:
        await link.call("PING")
        began = time.monotonic()
        await link.call("PING")
        ping = time.monotonic() - began
        try:
            await link.call(*finds)
        except Refused as error:
            return RedisHealth(ping, group=False, error=error.code)
        return RedisHealth(ping, group=True)
    finally:
        await link.close()
