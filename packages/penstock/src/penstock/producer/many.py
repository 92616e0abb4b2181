"""Many messages of one caller: the next bunch is encoded while Redis takes the one before."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice

from penstock.producer.errors import NotSent
from penstock.producer.letter import Letter, Order
from penstock.producer.outbox import Outbox
from penstock.producer.outcomes import Failed, Outcome

BUNCH = 100
"""Bodies that are encoded before other tasks get a turn; about a millisecond."""

AHEAD = 4
"""Bunches on their way: two calls, so that one is there when the other has been answered."""


class Bunch:
    """Some of the bodies, in order, under way as far as they could be composed."""

    def __init__(self, bodies: list[object], compose: Callable[[object], Letter], outbox: Outbox) -> None:
        """What cannot be composed has failed, and stops nothing else."""
        letters: list[Letter] = []
        self._failed: dict[int, Failed] = {}
        for place, body in enumerate(bodies):
            try:
                letters.append(compose(body))
            except NotSent as error:
                self._failed[place] = Failed(error)
        self.order: Order = outbox.put(letters)
        self._count = len(bodies)

    def outcomes(self, told: list[Outcome]) -> list[Outcome]:
        """Of each body, given those of the letters."""
        if not self._failed:
            return told
        rest = iter(told)
        return [self._failed[place] if place in self._failed else next(rest) for place in range(self._count)]


async def send_in_bunches(
    bodies: Iterable[object], compose: Callable[[object], Letter], outbox: Outbox, deadline: float | None
) -> list[Outcome]:
    """The outcome of each, in order."""
    outcomes: list[Outcome] = []
    under_way: deque[Bunch] = deque()
    source = iter(bodies)
    try:
        while some := list(islice(source, BUNCH)):
            under_way.append(Bunch(some, compose, outbox))
            await asyncio.sleep(0)
            if len(under_way) >= AHEAD:
                outcomes += await _finish(under_way, outbox, deadline)
        while under_way:
            outcomes += await _finish(under_way, outbox, deadline)
    except BaseException:
        for bunch in under_way:
            outbox.abandon(bunch.order)
        raise
    return outcomes


async def _finish(under_way: deque[Bunch], outbox: Outbox, deadline: float | None) -> list[Outcome]:
    told = await outbox.wait(under_way[0].order, deadline)
    return under_way.popleft().outcomes(told)
