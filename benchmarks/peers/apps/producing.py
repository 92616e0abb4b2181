"""The producer of a peer: reads orders from its standard input, and answers how many seconds each took.

`seq FROM TO` sends one message after the other, `bulk FROM TO` in the best documented way, `probe FROM TO RATE` at a
rate, with the time in each message. Needs only the standard library and, if it is installed, uvloop.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

Body = dict[str, Any]
LANES = 50
"""Sends at the same time, for peers without a bulk send."""


def body(number: int, at: float = 0.0) -> Body:
    """The body of a message: its number, and when it was sent."""
    return {"i": number, "t": at}


class Producer:
    """Sends with one peer. `many` is its bulk send; without one, sends run side by side in one event loop."""

    def __init__(
        self,
        one: Callable[[Body], Awaitable[object]],
        many: Callable[[Sequence[Body]], Awaitable[object]] | None = None,
        batch: int = 1000,
    ) -> None:
        self._one = one
        self._many = many
        self._batch = batch

    async def obey(self, words: Sequence[str]) -> None:
        """Carry out one order."""
        numbers = range(int(words[1]), int(words[2]))
        if words[0] == "seq":
            for number in numbers:
                await self._one(body(number))
        elif words[0] == "probe":
            await self._probe(numbers, 1 / float(words[3]))
        elif self._many is not None:
            for start in range(numbers.start, numbers.stop, self._batch):
                await self._many([body(n) for n in range(start, min(start + self._batch, numbers.stop))])
        else:
            rest = iter(numbers)
            await asyncio.gather(*(self._lane(rest) for _ in range(LANES)))

    async def _lane(self, rest: Iterable[int]) -> None:
        for number in rest:
            await self._one(body(number))

    async def _probe(self, numbers: Iterable[int], interval: float) -> None:
        due = time.monotonic()
        for number in numbers:
            await self._one(body(number, time.monotonic()))
            due += interval
            await asyncio.sleep(max(0.0, due - time.monotonic()))


async def _serve(connected: AbstractAsyncContextManager[Producer]) -> None:
    async with connected as producer:
        print("ready", flush=True)
        while words := (await asyncio.to_thread(sys.stdin.readline)).split():
            start = time.monotonic()
            await producer.obey(words)
            print(json.dumps({"seconds": time.monotonic() - start}), flush=True)


def serve(connected: AbstractAsyncContextManager[Producer]) -> None:
    """Serve until the input ends."""
    try:
        import uvloop  # not in every environment
    except ImportError:
        asyncio.run(_serve(connected))
    else:
        uvloop.run(_serve(connected))


def serve_blocking(one: Callable[[Body], object], many: Callable[[Sequence[Body]], object] | None = None) -> None:
    """The same for a peer whose producer blocks."""
    print("ready", flush=True)
    for line in sys.stdin:
        words = line.split()
        numbers = range(int(words[1]), int(words[2]))
        start = due = time.monotonic()
        if words[0] == "bulk" and many is not None:
            many([body(number) for number in numbers])
        elif words[0] == "probe":
            for number in numbers:
                one(body(number, time.monotonic()))
                due += 1 / float(words[3])
                time.sleep(max(0.0, due - time.monotonic()))
        else:
            for number in numbers:
                one(body(number))
        print(json.dumps({"seconds": time.monotonic() - start}), flush=True)


Connected = AsyncIterator[Producer]
