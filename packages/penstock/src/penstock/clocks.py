"""The clocks of a process as one value, so that a test or a simulation can pass in others.

Code that depends on time takes `Clocks`. Times that processes share (due times, leases) come from Redis instead.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clocks:
    """All in seconds."""

    monotonic: Callable[[], float] = time.monotonic
    """Never jumps: timeouts and waits are measured with it."""
    wall: Callable[[], float] = time.time
    """For logs and metrics; never compared."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    cpu: Callable[[], float] = time.thread_time
    """CPU time of the calling thread."""


CLOCKS = Clocks()
"""The clocks of this machine."""
