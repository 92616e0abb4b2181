"""What goes on beside the processes: looks at Redis, the autoscaler's turns, and questions about latencies."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Mapping

from penstock.wire.errors import RedisTrouble, Refused
from penstock_dev.running.asking import ask
from penstock_dev.running.book import Book
from penstock_dev.running.station import UNKNOWN, Station
from penstock_dev.seen import Level

EVERY, SCRAPE = 1.0, 3.0
"""Seconds between two looks at Redis, and at the latencies."""
SHORTEST = 0.02
"""Seconds between two turns of the autoscaler, however fast its clock goes."""


class Looking:
    """At all stations."""

    def __init__(self, stations: Mapping[str, Station], book: Book, speed: float) -> None:
        """The stations may change meanwhile."""
        self._stations = stations
        self._book = book
        self._speed = speed
        self.answers: bool | None = None
        """Whether Redis does; None until it was asked."""
        self.since = time.monotonic()
        """When that has begun."""
        self._looks = 0

    @property
    def idle(self) -> bool:
        """Whether nothing is left to do, as far as was seen twice."""
        return self._looks > 1 and all(one.numbers.idle for one in self._stations.values())

    def now(self) -> float:
        """By the clock of the autoscaler."""
        return time.monotonic() * self._speed

    async def numbers(self) -> None:
        """Again and again."""
        while True:
            told = [await self._look(station) for station in list(self._stations.values())]
            self._hear(answers=all(told))
            await asyncio.sleep(EVERY)

    async def scale(self, janitor: Callable[[], int | None]) -> None:
        """Let each have its turn when it is due. The janitor answers at a port."""
        while True:
            for name, station in list(self._stations.items()):
                if not station.scaling.paused and self.now() >= station.scaling.due:
                    await self._turn(name, station, janitor())
            due = (one.scaling.due for one in self._stations.values() if not one.scaling.paused)
            left = (min(due, default=math.inf) - self.now()) / self._speed
            await asyncio.sleep(min(max(left, SHORTEST), EVERY))

    async def latencies(self) -> None:
        """Again and again."""
        while True:
            await asyncio.sleep(SCRAPE)
            for station in list(self._stations.values()):
                asked = [(one.child.pid, one.port) for one in station.crew.members if one.was_ready and one.port]
                pages = await asyncio.gather(*(ask(port, "/metrics") for _, port in asked))
                station.latency.look({pid: page for (pid, _), page in zip(asked, pages, strict=True) if page})

    async def _look(self, station: Station) -> bool:
        """Whether Redis answered."""
        answered = True
        try:
            station.numbers = await station.runs.look(station.link)
        except RedisTrouble as trouble:
            answered = isinstance(trouble, Refused)
            station.runs.lost_sight()
            station.numbers = UNKNOWN
        station.remember()
        return answered

    def _hear(self, *, answers: bool) -> None:
        self._looks = self._looks + 1 if answers else 0
        if answers != self.answers:
            self.answers, self.since = answers, time.monotonic()
            if answers:
                self._book.write("Redis answers")
            else:
                self._book.write("Redis does not answer", level=Level.WARNING)

    async def _turn(self, name: str, station: Station, janitor: int | None) -> None:
        readings = await station.runs.read(station.link, janitor)
        wanted, said = station.scaling.turn(self.now(), readings, station.crew.wanted)
        for one in said:
            if one.changed:
                self._book.write(str(one), spec=name)
        station.crew.want(wanted)
