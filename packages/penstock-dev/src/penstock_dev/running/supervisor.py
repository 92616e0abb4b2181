"""All that runs, from the first process to the last: started, scaled, renewed, shown, and taken away again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Iterator
from typing import Any

from penstock.operating.spans import many
from penstock.wire.credentials import Credentials
from penstock.wire.url import read_url
from penstock_dev.running.book import Book
from penstock_dev.running.crew import Crew
from penstock_dev.running.launching import JANITOR, Launches, Terms
from penstock_dev.running.looking import Looking
from penstock_dev.running.runs import Runs
from penstock_dev.running.scaling import Scaling
from penstock_dev.running.server import Server
from penstock_dev.running.specs import Good, Specs
from penstock_dev.running.station import Station
from penstock_dev.running.watching import Changed, Files
from penstock_dev.seen import Level, RedisSeen, Seen
from penstock_spec.findings import CannotGoOn

WATCH = 0.7
"""Seconds between two looks at the files."""
PATIENCE = 10.0
"""Seconds that workers have to finish what they run when all ends."""


class Supervisor:
    """Of one repository."""

    def __init__(self, terms: Terms, specs: Specs, server: Server, book: Book) -> None:
        """Nothing runs yet."""
        self.terms = terms
        self.server = server
        self.book = book
        self.stations: dict[str, Station] = {}
        self.begun = asyncio.Event()
        """Set when everything that the specs ask for is there."""
        self._specs = specs
        self._url = server.url
        self._launches = Launches(terms, lambda: self._url)
        self._looking = Looking(self.stations, book, terms.speed)
        self._janitor = Crew(JANITOR, self._launches.of_janitor, book, grace=PATIENCE)
        self._crews: dict[Crew, asyncio.Task[None]] = {}
        self._leaving: set[asyncio.Task[int]] = set()
        self._trouble = ""

    # what is shown

    def seen(self) -> Seen:
        """Everything, as it is known now."""
        looking = self._looking
        where = self._url.rpartition("@")[2].partition("://")[2] or self._url.rpartition("@")[2]
        return Seen(
            RedisSeen(where, looking.answers, time.monotonic() - looking.since, self.server.ours),
            self.terms.speed,
            tuple(station.seen() for station in self.stations.values()),
            self.book.lines,
            tuple(text for text in (self._trouble, self._janitor.trouble) if text),
        )

    @property
    def idle(self) -> bool:
        """Whether nothing is left to do."""
        return self._looking.idle

    @property
    def silent(self) -> float:
        """Seconds for which Redis has not answered."""
        return 0.0 if self._looking.answers else time.monotonic() - self._looking.since

    @property
    def stuck(self) -> bool:
        """Whether there is a spec of which no process can start."""
        return any(crew.trouble for crew in self._crews)

    @property
    def troubled(self) -> bool:
        """Whether something does not run as its spec says."""
        seen = self.seen()
        return bool(seen.trouble) or any(one.trouble for one in seen.specs)

    # from the first process to the last

    async def run(self, first: Good, stop: asyncio.Event) -> None:
        """Until told to stop; then nothing is left of it."""
        tasks: list[asyncio.Task[object]] = [asyncio.create_task(stop.wait())]
        try:
            await self._apply(first)
            self._man(self._janitor)
            self.begun.set()
            tasks += [asyncio.create_task(work) for work in self._works()]
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                one.result()  # but for the first, none of them ends without an error
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._end()
            for station in self.stations.values():
                await station.link.close()

    def end_now(self) -> None:
        """Nobody wants to wait."""
        for crew in self._crews:
            crew.end()

    def _works(self) -> Iterator[Coroutine[Any, Any, None]]:
        """What goes on beside the processes, without end."""
        yield self.server.keep()
        yield self._follow()
        yield self._watch()
        yield self._looking.numbers()
        yield self._looking.scale(self._janitor_port)
        if self.terms.scrapes:
            yield self._looking.latencies()

    async def _end(self) -> None:
        """Workers first, as they need the rest to leave well."""
        workers = [crew for crew in self._crews if crew is not self._janitor]
        cut = sum(await asyncio.gather(*(crew.leave(PATIENCE) for crew in workers)))
        if cut:
            text = f"{many(cut, 'worker')} did not finish in {PATIENCE:g} s; what they ran is taken over next time"
            self.book.write(text, level=Level.WARNING)
        await self._janitor.leave(PATIENCE)
        await asyncio.gather(*self._crews.values(), *self._leaving, return_exceptions=True)

    def _man(self, crew: Crew) -> None:
        self._crews[crew] = asyncio.create_task(crew.run())

    def _janitor_port(self) -> int | None:
        return next((one.port for one in self._janitor.here), None)

    # what runs

    async def _apply(self, good: Good) -> None:
        """Run these specs, and no others."""
        model, credentials = read_url(self._url, self.terms.environ)
        self._trouble = self._told(self._trouble, good.troubles.get("", ""), "")
        changed = False
        for one in good.runs:
            runs = one.on(model)
            changed |= await self._run(runs, good.troubles.get(runs.name, ""), credentials)
        for name in set(self.stations) - {one.name for one in good.runs}:
            changed = True
            await self._drop(name)
        tended = any(one.runs.tended for one in self.stations.values())
        self._janitor.want(1 if tended else 0)  # without a pipeline it has nothing to look after
        if changed:
            self._janitor.renew()

    async def _run(self, runs: Runs, trouble: str, credentials: Credentials) -> bool:
        """Run a spec as it is now; gives whether its processes are other ones."""
        station = self.stations.get(runs.name)
        if station is None:
            self._begin(runs, credentials)
            return True
        station.trouble = self._told(station.trouble, trouble, runs.name)
        if trouble:
            return False
        _, digest = runs.written()
        settings = runs.settings()
        station.scaling.change(settings, self._looking.now())
        station.runs, station.crew.grace = runs, runs.grace
        if settings is None:
            station.crew.want(runs.replicas[0])
        if digest == station.digest:
            return False
        station.digest = self._launches.write(runs)
        await self._connect(station, credentials)
        self.book.write("its spec has changed; workers are renewed", spec=runs.name)
        station.crew.renew()
        return True

    def _begin(self, runs: Runs, credentials: Credentials) -> None:
        name, digest = runs.name, self._launches.write(runs)
        scaling = Scaling(runs.settings(), self._looking.now())
        crew = Crew(name, lambda number: self._launches.of(station.runs, number), self.book, grace=runs.grace)
        station = Station(runs, crew, scaling, runs.link(credentials), digest)
        self.stations[name] = station
        self._man(crew)
        crew.want(runs.replicas[0])

    async def _connect(self, station: Station, credentials: Credentials) -> None:
        """Anew, as what it is connected to is another."""
        await station.link.close()
        station.link = station.runs.link(credentials)

    async def _drop(self, name: str) -> None:
        """Its spec is gone."""
        station = self.stations.pop(name)
        self.book.write("its spec is gone; workers leave", spec=name)
        self._leaving.add(asyncio.create_task(station.crew.leave(station.crew.grace)))
        self._launches.forget(station.runs)
        await station.link.close()

    # what changes meanwhile

    async def _follow(self) -> None:
        """Where somebody took Redis's port while it was away, all have to be told where it is now."""
        while True:
            await asyncio.sleep(WATCH)
            if self.server.url == self._url:
                continue
            self._url = self.server.url
            self.book.write(f"Redis is at {self._url.rpartition('@')[2]} now; all are renewed", level=Level.WARNING)
            model, credentials = read_url(self._url, self.terms.environ)
            for station in self.stations.values():
                station.runs = station.runs.on(model)
                await self._connect(station, credentials)
            for crew in self._crews:
                crew.renew()

    async def _watch(self) -> None:
        files = await asyncio.to_thread(Files, self.terms.watched)
        while True:
            await asyncio.sleep(WATCH)
            changed = await asyncio.to_thread(files.changed)
            if Changed.CODE in changed:
                self.book.write("code has changed; workers are renewed")
                for station in self.stations.values():
                    station.crew.renew()
            if changed:
                await self._read_again()

    async def _read_again(self) -> None:
        try:
            good = await asyncio.to_thread(self._specs.read)
            await self._apply(good)
        except CannotGoOn as error:
            text = f"{error.says}; {error.hint}" if error.hint else error.says
            self._trouble = self._told(self._trouble, text, "")

    def _told(self, before: str, now: str, spec: str) -> str:
        """Once, when it begins, changes, and is over."""
        if now and now != before:
            self.book.write(now, level=Level.ERROR, spec=spec)
        elif before and not now:
            self.book.write("it is valid again", spec=spec)
        return now
