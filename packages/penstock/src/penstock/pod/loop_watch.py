"""Exits if the event loop is blocked for too long: it would not recover."""

from __future__ import annotations

import asyncio
import os
import sys

from penstock.observe.events import Event
from penstock.observe.heart import EVERY, Heart
from penstock.observe.readiness import Readiness, Why
from penstock.pod.exit import BROKEN
from penstock.pod.role import Role

CHECK_EVERY = 1.0


async def watch_loop(loop: asyncio.AbstractEventLoop, heart: Heart, readiness: Readiness, role: Role) -> None:
    """Runs in the side loop until it is cancelled."""
    if role.limits.spare_start:
        while Why.STARTING in readiness.against:
            heart.beat()
            await asyncio.sleep(EVERY)
        loop.call_soon_threadsafe(heart.beat_in, loop)
    while role.limits.fatal is not None:
        await asyncio.sleep(CHECK_EVERY)
        if (age := heart.age()) > role.limits.fatal:
            role.log.event(Event.LOOP_BLOCKED, seconds=round(age, 1))
            sys.stderr.flush()
            os._exit(BROKEN)
