"""The health check of Redis, over a connection that is opened and closed for each check."""

from __future__ import annotations

from penstock.clocks import CLOCKS, Clocks
from penstock.observe.health import RedisHealth
from penstock.wire.command import Argument
from penstock.wire.errors import Refused
from penstock.wire.link import Link


async def check_redis(link: Link, *command: Argument) -> RedisHealth:
    """Check Redis. It must refuse `command` if the pod's group or set does not exist or has another type."""
    try:
        seconds = await ping(link)
        try:
            await link.call(*command)
        except Refused as error:
            return RedisHealth(seconds, group=False, error=error.code)
        return RedisHealth(seconds, group=True)
    finally:
        await link.close()


async def ping(link: Link, clocks: Clocks = CLOCKS) -> float:
    """The seconds that a PING takes when the connection is open."""
    await link.call("PING")
    sent = clocks.monotonic()
    await link.call("PING")
    return clocks.monotonic() - sent
