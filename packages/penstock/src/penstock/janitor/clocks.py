"""Time, as the janitor has it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clocks:
    """In seconds. What happens in Redis goes by Redis's own clock."""

    own: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


CLOCKS = Clocks()
"""Those of this machine."""
