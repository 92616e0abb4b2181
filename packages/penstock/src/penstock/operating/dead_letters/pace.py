"""Limits the rate of a replay, evenly over time."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable

PER = {"s": 1, "m": 60, "h": 3600}
RATE = re.compile(r"([0-9]{1,9})/([smh])", re.ASCII)


def rate_of(text: str) -> float | None:
    """Parse `100/s`, `30/m`, `5/h` or `off` into a rate per second; None for `off`. Raises ValueError."""
    if text == "off":
        return None
    match = RATE.fullmatch(text)
    if not match or not int(match[1]):
        raise ValueError(f"`{text}` is not a rate; write it as `100/s`, `30/m` or `off`")
    return int(match[1]) / PER[match[2]]


class Pace:
    """Lets one dead letter pass at a time. It does not catch up after delays."""

    def __init__(
        self,
        rate: float | None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """`rate` is per second; None is unlimited."""
        self._gap = 0.0 if rate is None else 1 / rate
        self._clock = clock
        self._sleep = sleep
        self._next = clock()

    async def turn(self) -> None:
        """Wait until the next one may pass."""
        wait = self._next - self._clock()
        if wait > 0:
            await self._sleep(wait)
        self._next = max(self._next, self._clock() - self._gap) + self._gap
