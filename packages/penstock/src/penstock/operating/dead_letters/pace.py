"""How fast letters go back: evenly, and no faster than was said."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable

PER = {"s": 1, "m": 60, "h": 3600}
RATE = re.compile(r"([0-9]{1,9})/([smh])", re.ASCII)


def rate_of(text: str) -> float | None:
    """Letters a second out of `100/s`, `30/m`, `5/h`; None for `off`. Raises ValueError."""
    if text == "off":
        return None
    found = RATE.fullmatch(text)
    if not found or not int(found[1]):
        raise ValueError(f"`{text}` is not a rate; write it as `100/s`, `30/m` or `off`")
    return int(found[1]) / PER[found[2]]


class Pace:
    """Lets through one at a time. What it was late for it does not make up."""

    def __init__(
        self,
        rate: float | None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """`rate` is a second; none is as fast as Redis answers."""
        self._gap = 0.0 if rate is None else 1 / rate
        self._clock = clock
        self._sleep = sleep
        self._next = clock()

    async def turn(self) -> None:
        """Wait for the next one's turn."""
        wait = self._next - self._clock()
        if wait > 0:
            await self._sleep(wait)
        self._next = max(self._next, self._clock() - self._gap) + self._gap
