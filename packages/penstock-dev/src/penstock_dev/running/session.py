"""One run of `penstock dev`: the loop, its signals, how it is shown, and when it ends."""

from __future__ import annotations

import asyncio
import signal
import time
from dataclasses import dataclass

import click

from penstock.operating.spans import many
from penstock_dev.running.launching import DevOptions
from penstock_dev.running.log_buffer import LogBuffer
from penstock_dev.running.plain import PlainOutput
from penstock_dev.running.server import RedisServer
from penstock_dev.running.spec_loader import LoadedSpecs, SpecLoader
from penstock_dev.running.supervisor import Supervisor
from penstock_spec.findings import CannotGoOn

WELL, TROUBLED = 0, 1
LOOK = 0.2
SILENCE = 10.0
"""Seconds without an answer of Redis, after which nobody believes that something will ever be done."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class StopConditions:
    """When it ends by itself."""

    after: float | None = None
    """Seconds."""
    when_idle: bool = False


class Session:
    """From the first process to the last."""

    def __init__(
        self, options: DevOptions, specs: SpecLoader, first: LoadedSpecs, server: RedisServer, log: LogBuffer
    ) -> None:
        self._first = first
        self._log = log
        self._failure: CannotGoOn | None = None
        self.supervisor = Supervisor(options, specs, server, log)

    def run(self, ends: StopConditions, *, screen: bool) -> int:
        """Until it ends. Gives an exit code. Raises CannotGoOn where that can never come true."""
        with asyncio.Runner() as runner:
            return runner.run(self._run(ends, screen=screen))

    async def _run(self, ends: StopConditions, *, screen: bool) -> int:
        stop = asyncio.Event()
        self._on_signals(stop)
        self._log.write(self._begins())
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
        options, server = self.supervisor.options, self.supervisor.server
        workloads = self._first.workloads
        kinds = [one.kind for one in workloads]
        what = " and ".join(many(kinds.count(kind), kind) for kind in dict.fromkeys(sorted(kinds)))
        speed = f", the autoscaler {options.speed:g} times as fast" if options.speed != 1 else ""
        return f"{what} of `{workloads[0].environment}` with {server.url.rpartition('@')[2]}{speed}"

    def _on_signals(self, stop: asyncio.Event) -> None:
        """The first lets workers finish. The second does not wait; what they ran is taken over next time."""

        def handle(number: signal.Signals) -> None:
            if stop.is_set():
                self._log.write("a second signal: ending at once")
                self.supervisor.kill_all()
                return
            self._log.write(f"{number.name}: workers finish what they run; once more does not wait")
            stop.set()

        loop = asyncio.get_running_loop()
        for one in SIGNALS:
            loop.add_signal_handler(one, handle, one)

    async def _end(self, ends: StopConditions, stop: asyncio.Event) -> None:
        began = time.monotonic()
        while not stop.is_set():
            await asyncio.sleep(LOOK)
            if ends.after is not None and time.monotonic() - began >= ends.after:
                self._log.write(f"it has run for {ends.after:g} s")
                stop.set()
            elif ends.when_idle and self.supervisor.idle:
                self._log.write("nothing is left to do")
                stop.set()
            elif ends.when_idle and self.supervisor.stuck:
                self._log.write("what cannot start does nothing, and nobody mends it meanwhile")
                stop.set()
            elif ends.when_idle and self.supervisor.silent >= SILENCE:
                where = self.supervisor.snapshot().redis.address
                says = f"Redis at {where} has not answered for {SILENCE:g} s, so nothing will be done"
                self._failure = CannotGoOn(says, "see that it runs, and that it can be reached from here")
                stop.set()

    async def _lines(self, after: int = 0) -> None:
        """From the line after this one on."""
        plain = PlainOutput(self.supervisor.snapshot, _say, time.monotonic, after)
        try:
            await plain.run()
        finally:
            plain.look()

    async def _screen(self, stop: asyncio.Event) -> None:
        """Until somebody quits, which ends all; what is still to be told then stands in lines."""
        from penstock_dev.running.control import SupervisorControl  # noqa: PLC0415 - only a screen sends messages of its own
        from penstock_dev.screen import show  # noqa: PLC0415 - takes a while to load

        try:
            await show(self.supervisor.snapshot, SupervisorControl(self.supervisor))
        finally:
            stop.set()
        shown = max(line.number for line in self._log.lines)  # how it begins is always there
        self._log.write("workers finish what they run; Ctrl-C does not wait")
        await self._lines(shown)


def _say(line: str) -> None:
    click.echo(line)
