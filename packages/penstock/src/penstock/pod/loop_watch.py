"""Exits if the event loop is blocked for too long: it would not recover."""

from __future__ import annotations

import asyncio
import os
import sys

from penstock.observe.events import Event
from penstock.observe.heartbeat import EVERY, Heartbeat
from penstock.observe.readiness import NotReady, Readiness
from penstock.pod.exit import BROKEN
from penstock.pod.role import Role

CHECK_EVERY = 1.0


async def watch_loop(loop: asyncio.AbstractEventLoop, heartbeat: Heartbeat, readiness: Readiness, role: Role) -> None:
    """Check the heartbeat until cancelled; runs in the side loop."""
    if role.limits.spare_start:
        while NotReady.STARTING in readiness.reasons:
            heartbeat.beat()
            await asyncio.sleep(EVERY)
        loop.call_soon_threadsafe(heartbeat.beat_in, loop)
    while role.limits.fatal is not None:
        await asyncio.sleep(CHECK_EVERY)
        if (age := heartbeat.age()) > role.limits.fatal:
            role.log.event(Event.LOOP_BLOCKED, seconds=round(age, 1))
            sys.stderr.flush()
            os._exit(BROKEN)
