"""Checks the Redis server once, as soon as it answers: it must know the commands of the scripts, and evict no keys."""

from __future__ import annotations

import asyncio
import logging

from penstock.maintenance.eviction import eviction_policy
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.wire.errors import RedisTrouble, Refused
from penstock.wire.link import Link
from penstock_spec.findings import CannotGoOn

NEWEST = "ZMSCORE"
"""The newest command that scripts need; Redis has it since 6.2, and every version of Valkey."""
AGAIN = 2.0
"""Seconds between two attempts."""

log = Log(logging.getLogger("penstock.scheduler"))


async def check_server(link: Link) -> None:
    """Wait until Redis answers. Raises CannotGoOn if it is too old; logs an error if it evicts keys."""
    while True:
        try:
            if await _is_too_old(link):
                log.event(Event.REDIS_TOO_OLD, command=NEWEST)
                says = f"Redis does not know the command {NEWEST}, so it is older than 6.2"
                raise CannotGoOn(says, "use Redis 6.2 or newer, or Valkey")
            if policy := await eviction_policy(link):
                log.event(Event.REDIS_EVICTS, policy=policy)
        except RedisTrouble:
            await asyncio.sleep(AGAIN)  # the lease reports it
        else:
            return


async def _is_too_old(link: Link) -> bool:
    try:
        return await link.call("COMMAND", "INFO", NEWEST) in ([None], [])
    except Refused:  # the user may not ask
        return False
