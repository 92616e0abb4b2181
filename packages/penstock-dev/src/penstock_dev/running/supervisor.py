"""All that runs, from the first process to the last: started, scaled, renewed, shown, and taken away again."""

from __future__ import annotations

import asyncio
import math
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from penstock.operating.spans import many
from penstock.resolved import Resolved
from penstock.wire.credentials import Credentials
from penstock.wire.errors import RedisTrouble, Refused
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock.wire.url import read_url
from penstock_dev.running.asking import ask
from penstock_dev.running.book import Book
from penstock_dev.running.crew import Crew, MakeLaunch
from penstock_dev.running.member import Launch
from penstock_dev.running.pipeline import RunsPipeline
from penstock_dev.running.scaling import Scaling, settings_for
from penstock_dev.running.server import Server
from penstock_dev.running.specs import Good, Specs
from penstock_dev.running.station import UNKNOWN, Station
from penstock_dev.running.watching import Changed, Files
from penstock_dev.seen import Level, RedisSeen, Seen
from penstock_spec.findings import CannotGoOn

LOOK, SCRAPE, WATCH = 1.0, 3.0, 0.7
"""Seconds between two looks at Redis, at the latencies, and at the files."""
PATIENCE = 10.0
"""Seconds that workers have to finish what they run when all ends."""
JANITOR = "janitor"
JANITOR_READY = frozenset({"leads", "stands by"})
WORKER_READY = frozenset({"a life in the group begins"})
SHORTEST = 0.02
"""Seconds between two turns of the autoscaler, however fast its clock goes."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What the command was told."""

    folder: Path
    """Where processes start, and code is found."""
    root: Path
    """Of the repository."""
    files: Path
    """Where what they read is written."""
    paths: tuple[Path, ...] = ()
    """More folders with code."""
    speed: float = 1
    environ: Mapping[str, str] = field(default_factory=dict)
    """Of the processes, and of whoever asks Redis."""
    scrapes: bool = True
    """Whether workers are asked for latencies."""

    @property
    def watched(self) -> tuple[Path, ...]:
        """Folders in which changes count."""
        return (self.folder, self.root, *self.paths)


class Supervisor:
    """Of one repository."""

    def __init__(self, terms: Terms, specs: Specs, server: Server, book: Book) -> None:
        """Nothing runs yet."""
        self.terms = terms
        self._specs = specs
        self.server = server
        self.book = book
        self.stations: dict[str, Station] = {}
        self.trouble = ""
        self.begun = asyncio.Event()
        """Set when everything that the specs ask for is there."""
        self._url = server.url
        self._janitor = Crew(JANITOR, self._janitor_launch, book, grace=PATIENCE)
        self._answers = False
        self._since = time.monotonic()
        self._looks = 0
        self._links: dict[str, Link] = {}
        self._crews: dict[Crew, asyncio.Task[None]] = {}
        self._leaving: set[asyncio.Task[int]] = set()

    # what is shown

    def seen(self) -> Seen:
        """Everything, as it is known now."""
        where = self._url.rpartition("@")[2].rpartition("/")[2] or self._url
        return Seen(
            RedisSeen(where, self._answers, time.monotonic() - self._since, self.server.ours),
            self.terms.speed,
            tuple(station.seen() for station in self.stations.values()),
            self.book.lines,
            (self.trouble,) if self.trouble else (),
        )

    @property
    def idle(self) -> bool:
        """Whether nothing is left to do."""
        return self._looks > 1 and all(one.numbers.idle for one in self.stations.values())

    @property
    def troubled(self) -> bool:
        """Whether something does not run as its spec says."""
        return bool(self.trouble) or any(one.trouble or one.crew.trouble for one in self.stations.values())

    def link(self, name: str) -> Link:
        """To where this pipeline's keys are."""
        return self._links[name]

    # from the first process to the last

    async def run(self, first: Good, stop: asyncio.Event) -> None:
        """Until told to stop; then nothing is left of it."""
        works = (self.server.keep(), self._look(), self._watch(), self._scrape(), self._scale())
        tasks: list[asyncio.Task[None]] = []
        try:
            await self._apply(first)
            self._man(self._janitor)
            self._janitor.want(1)
            self.begun.set()
            tasks = [asyncio.create_task(work) for work in works]
            stopping = asyncio.create_task(stop.wait())
            done, _ = await asyncio.wait((*tasks, stopping), return_when=asyncio.FIRST_COMPLETED)
            for one in done - {stopping}:
                one.result()  # none of them ends but by an error
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._end()
            for link in self._links.values():
                await link.close()

    def end_now(self) -> None:
        """Nobody wants to wait."""
        for crew in self._crews:
            crew.end()

    async def _end(self) -> None:
        workers = [crew for crew in self._crews if crew is not self._janitor]
        cut = sum(await asyncio.gather(*(crew.leave(PATIENCE) for crew in workers)))
        if cut:
            text = f"{many(cut, 'worker')} did not finish in {PATIENCE:g} s; what they ran is taken over next time"
            self.book.write(text, level=Level.WARNING)
        await self._janitor.leave(PATIENCE)
        await asyncio.gather(*self._crews.values(), *self._leaving, return_exceptions=True)

    def _man(self, crew: Crew) -> None:
        self._crews[crew] = asyncio.create_task(crew.run())

    # what runs

    async def _apply(self, good: Good) -> None:
        """Run these specs, and no others."""
        model, credentials = read_url(self._url, self.terms.environ)
        self.trouble = self._told(self.trouble, good.troubles.get("", ""), "")
        changed = False
        for pipeline in good.pipelines:
            runs = RunsPipeline(pipeline.on(model))
            changed |= await self._run(runs, good.troubles.get(runs.name, ""), credentials)
        for name in set(self.stations) - {one.name for one in good.pipelines}:
            changed = True
            await self._drop(name)
        if changed:
            self._janitor.renew()

    async def _run(self, runs: RunsPipeline, trouble: str, credentials: Credentials) -> bool:
        """Run a spec as it is now; gives whether its processes are other ones."""
        text, digest = runs.written()
        now, station = self._now(), self.stations.get(runs.name)
        settings = settings_for(runs.of)
        if station is None:
            self._write(runs.name, text)
            crew = Crew(runs.name, self._launch_of(runs.name), self.book, grace=runs.spec.shutdown.grace.seconds)
            self.stations[runs.name] = Station(runs, crew, Scaling(settings, now), digest)
            self._links[runs.name] = self._new_link(runs.of, credentials)
            self._man(crew)
            crew.want(runs.replicas[0])
            return True
        station.trouble = self._told(station.trouble, trouble, runs.name)
        if trouble:
            return False
        station.scaling.change(settings, now)
        station.runs, station.crew.grace = runs, runs.spec.shutdown.grace.seconds
        if digest == station.digest:
            return False
        self._write(runs.name, text)
        station.digest = digest
        await self._links[runs.name].close()
        self._links[runs.name] = self._new_link(runs.of, credentials)
        self.book.write("its spec has changed; workers are renewed", spec=runs.name)
        station.crew.renew()
        return True

    async def _drop(self, name: str) -> None:
        """Its spec is gone."""
        station = self.stations.pop(name)
        self.book.write("its spec is gone; workers leave", spec=name)
        leaving = asyncio.create_task(station.crew.leave(station.crew.grace))
        self._leaving.add(leaving)
        (self.terms.files / f"{name}.json").unlink(missing_ok=True)
        await self._links.pop(name).close()

    def _write(self, name: str, text: str) -> None:
        """What a process finds when it starts is whole."""
        file = self.terms.files / f"{name}.json"
        fresh = file.with_suffix(".new")
        fresh.write_text(text)
        fresh.replace(file)

    def _new_link(self, pipeline: Resolved, credentials: Credentials) -> Link:
        route = Route.to(pipeline.redis, pipeline.keys.stream, credentials=credentials)
        return Link(route, name=f"penstock-dev-{pipeline.name}")

    def _launch_of(self, name: str) -> MakeLaunch:
        def launch(number: int) -> Launch:
            words = self.stations[name].runs.words(self.terms.files / f"{name}.json", self._url, self.terms.paths)
            return self._launch(words, WORKER_READY, {"POD_NAME": f"dev-{number}"})

        return launch

    def _janitor_launch(self, number: int) -> Launch:
        where = ("--redis", self._url, "--listen", "127.0.0.1:0", "--log-format", "json")
        words = ["janitor", str(self.terms.files), *where]
        return self._launch(words, JANITOR_READY, {"POD_NAME": f"{JANITOR}-{number}"})

    def _launch(self, words: Sequence[str], ready: frozenset[str], more: Mapping[str, str]) -> Launch:
        # Without `-P` the current folder is on the path, as it is for `penstock worker`.
        command = (sys.executable, "-m", "penstock", *words)
        return Launch(command, self.terms.folder, {**self.terms.environ, **more}, ready)

    # what goes on beside

    def _now(self) -> float:
        """By the clock of the autoscaler."""
        return time.monotonic() * self.terms.speed

    async def _scale(self) -> None:
        while True:
            for name, station in list(self.stations.items()):
                if station.scaling.paused or self._now() < station.scaling.due:
                    continue
                crew, port = station.crew, self._janitor_port()
                wanted, said = await station.scaling.turn(
                    self._now(), station.runs.of, self._links[name], port, crew.wanted
                )
                for one in said:
                    if one.changed:
                        self.book.write(str(one), spec=name)
                crew.want(wanted)
            next_ = min((one.scaling.due for one in self.stations.values() if not one.scaling.paused), default=math.inf)
            await asyncio.sleep(min(max((next_ - self._now()) / self.terms.speed, SHORTEST), LOOK))

    def _janitor_port(self) -> int | None:
        return next((one.port for one in self._janitor.here), None)

    async def _look(self) -> None:
        while True:
            answers = True
            for name, station in list(self.stations.items()):
                try:
                    station.numbers = await station.runs.look(self._links[name])
                except RedisTrouble as trouble:
                    answers = isinstance(trouble, Refused)
                    station.runs.lost_sight()
                    station.numbers = UNKNOWN
                station.remember()
            self._looks = self._looks + 1 if answers else 0
            if answers != self._answers:
                self._answers, self._since = answers, time.monotonic()
                text = "Redis answers" if answers else "Redis does not answer"
                self.book.write(text, level=Level.INFO if answers else Level.WARNING)
            await self._follow_url()
            await asyncio.sleep(LOOK)

    async def _follow_url(self) -> None:
        """Somebody took its port while it was away: all have to be told where it is now."""
        if self.server.url == self._url:
            return
        self._url = self.server.url
        self.book.write(f"Redis is at {self._url} now; all are renewed", level=Level.WARNING)
        model, credentials = read_url(self._url, self.terms.environ)
        for name, station in self.stations.items():
            station.runs = RunsPipeline(station.runs.of.on(model))
            await self._links[name].close()
            self._links[name] = self._new_link(station.runs.of, credentials)
        for crew in self._crews:
            crew.renew()

    async def _scrape(self) -> None:
        while self.terms.scrapes:
            await asyncio.sleep(SCRAPE)
            for station in list(self.stations.values()):
                ready = [(one.child.pid, one.port) for one in station.crew.members if one.was_ready and one.port]
                pages = await asyncio.gather(*(ask(port, "/metrics") for _, port in ready))
                told = {pid: page for (pid, _), page in zip(ready, pages, strict=True) if page}
                station.latency.look(told)
        await asyncio.Event().wait()

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
            self.trouble = self._told(self.trouble, text, "")

    def _told(self, before: str, now: str, spec: str) -> str:
        """Once, when it begins, changes, and is over."""
        if now and now != before:
            self.book.write(now, level=Level.ERROR, spec=spec)
        elif before and not now:
            self.book.write("it is valid again", spec=spec)
        return now
