"""Sends many messages of one caller: encodes a chunk while Redis processes the previous one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice

from penstock.producer.encoded import Batch, EncodedMessage
from penstock.producer.errors import NotSent
from penstock.producer.outcomes import Failed, Outcome
from penstock.producer.sender import Sender

CHUNK = 100
"""Bodies to encode before other tasks get their turn; this takes about a millisecond."""

AHEAD = 4
"""Chunks in flight: enough for two calls, so that one is ready when the other is answered."""


class Chunk:
    """Consecutive bodies; those that could be encoded are in flight."""

    def __init__(self, bodies: list[object], encode: Callable[[object], EncodedMessage], sender: Sender) -> None:
        """Encode the bodies. One that cannot be encoded fails alone."""
        messages: list[EncodedMessage] = []
        self._failed: dict[int, Failed] = {}
        for place, body in enumerate(bodies):
            try:
                messages.append(encode(body))
            except NotSent as error:
                self._failed[place] = Failed(error)
        self.batch: Batch = sender.put(messages)
        self._count = len(bodies)

    def outcomes(self, sent: list[Outcome]) -> list[Outcome]:
        """Return the outcome of each body, given those of the messages."""
        if not self._failed:
            return sent
        rest = iter(sent)
        return [self._failed[place] if place in self._failed else next(rest) for place in range(self._count)]


async def send_in_chunks(
    bodies: Iterable[object], encode: Callable[[object], EncodedMessage], sender: Sender, deadline: float | None
) -> list[Outcome]:
    """Send all bodies and return the outcome of each, in order."""
    outcomes: list[Outcome] = []
    in_flight: deque[Chunk] = deque()
    source = iter(bodies)
    try:
        while chunk_bodies := list(islice(source, CHUNK)):
            in_flight.append(Chunk(chunk_bodies, encode, sender))
            await asyncio.sleep(0)
            if len(in_flight) >= AHEAD:
                outcomes += await _finish(in_flight, sender, deadline)
        while in_flight:
            outcomes += await _finish(in_flight, sender, deadline)
    except BaseException:
        for chunk in in_flight:
            sender.abandon(chunk.batch)
        raise
    return outcomes


async def _finish(in_flight: deque[Chunk], sender: Sender, deadline: float | None) -> list[Outcome]:
    outcomes = await sender.wait(in_flight[0].batch, deadline)
    return in_flight.popleft().outcomes(outcomes)
