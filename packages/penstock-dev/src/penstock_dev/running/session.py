"""One run of `penstock dev`: the loop, its signals, how it is shown, and when it ends."""

from __future__ import annotations

import asyncio
import signal
import time
from dataclasses import dataclass

import click

from penstock.operating.spans import many
from penstock_dev.running.book import Book
from penstock_dev.running.launching import Terms
from penstock_dev.running.plain import Plain
from penstock_dev.running.server import Server
from penstock_dev.running.specs import Good, Specs
from penstock_dev.running.supervisor import Supervisor
from penstock_spec.findings import CannotGoOn

WELL, TROUBLED = 0, 1
LOOK = 0.2
SILENCE = 10.0
"""Seconds without an answer of Redis, after which nobody believes that something will ever be done."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Ends:
    """When it ends by itself."""

    after: float | None = None
    """Seconds."""
    when_idle: bool = False


class Session:
    """From the first process to the last."""

    def __init__(self, terms: Terms, specs: Specs, first: Good, server: Server, book: Book) -> None:
        self._first = first
        self._book = book
        self._failure: CannotGoOn | None = None
        self.supervisor = Supervisor(terms, specs, server, book)

    def run(self, ends: Ends, *, screen: bool) -> int:
        """Until it ends. Gives an exit code. Raises CannotGoOn where that can never come true."""
        with asyncio.Runner() as runner:
            return runner.run(self._run(ends, screen=screen))

    async def _run(self, ends: Ends, *, screen: bool) -> int:
        stop = asyncio.Event()
        self._on_signals(stop)
        self._book.write(self._begins())
        running = asyncio.create_task(self.supervisor.run(self._first, stop))
        ending = asyncio.create_task(self._end(ends, stop))
        shown = self._screen(stop) if screen else self._lines()
        showing = asyncio.create_task(shown)
        showing.add_done_callback(lambda _: stop.set())  # nobody reads any more what is told
        try:
            await running
        finally:
            ending.cancel()
            showing.cancel()
            for told in await asyncio.gather(ending, showing, return_exceptions=True):
                if isinstance(told, Exception):
                    raise told
        if self._failure:
            raise self._failure
        return TROUBLED if self.supervisor.troubled else WELL

    def _begins(self) -> str:
        terms, server = self.supervisor.terms, self.supervisor.server
        runs = self._first.runs
        kinds = [one.kind for one in runs]
        what = " and ".join(many(kinds.count(kind), kind) for kind in dict.fromkeys(sorted(kinds)))
        speed = f", the autoscaler {terms.speed:g} times as fast" if terms.speed != 1 else ""
        return f"{what} of `{runs[0].environment}` with {server.url.rpartition('@')[2]}{speed}"

    def _on_signals(self, stop: asyncio.Event) -> None:
        """The first lets workers finish. The second does not wait; what they ran is taken over next time."""

        def handle(number: signal.Signals) -> None:
            if stop.is_set():
                self._book.write("a second signal: ending at once")
                self.supervisor.end_now()
                return
            self._book.write(f"{number.name}: workers finish what they run; once more does not wait")
            stop.set()

        loop = asyncio.get_running_loop()
        for one in SIGNALS:
            loop.add_signal_handler(one, handle, one)

    async def _end(self, ends: Ends, stop: asyncio.Event) -> None:
        began = time.monotonic()
        while not stop.is_set():
            await asyncio.sleep(LOOK)
            if ends.after is not None and time.monotonic() - began >= ends.after:
                self._book.write(f"it has run for {ends.after:g} s")
                stop.set()
            elif ends.when_idle and self.supervisor.idle:
                self._book.write("nothing is left to do")
                stop.set()
            elif ends.when_idle and self.supervisor.stuck:
                self._book.write("what cannot start does nothing, and nobody mends it meanwhile")
                stop.set()
            elif ends.when_idle and self.supervisor.silent >= SILENCE:
                where = self.supervisor.seen().redis.address
                says = f"Redis at {where} has not answered for {SILENCE:g} s, so nothing will be done"
                self._failure = CannotGoOn(says, "see that it runs, and that it can be reached from here")
                stop.set()

    async def _lines(self, after: int = 0) -> None:
        """From the line after this one on."""
        plain = Plain(self.supervisor.seen, _say, time.monotonic, after)
        try:
            await plain.run()
        finally:
            plain.look()

    async def _screen(self, stop: asyncio.Event) -> None:
        """Until somebody quits, which ends all; what is still to be told then stands in lines."""
        from penstock_dev.running.controls import Controls  # noqa: PLC0415 - only a screen sends messages of its own
        from penstock_dev.screen import show  # noqa: PLC0415 - takes a while to load

        try:
            await show(self.supervisor.seen, Controls(self.supervisor))
        finally:
            stop.set()
        shown = max(line.number for line in self._book.lines)  # how it begins is always there
        self._book.write("workers finish what they run; Ctrl-C does not wait")
        await self._lines(shown)


def _say(line: str) -> None:
    click.echo(line)
