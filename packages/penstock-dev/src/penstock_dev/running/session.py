"""One run of `penstock dev`: the event loop, its signals, its output, and when it stops."""

from __future__ import annotations

import asyncio
import signal
import time
from dataclasses import dataclass

import click

from penstock_dev.running.launching import DevOptions
from penstock_dev.running.log_buffer import LogBuffer
from penstock_dev.running.plain import PlainOutput
from penstock_dev.running.server import RedisServer
from penstock_dev.running.spec_loader import LoadedSpecs, SpecLoader
from penstock_dev.running.supervisor import Supervisor
from penstock_spec.findings import CannotGoOn
from penstock_spec.values.display import many

EXIT_OK, EXIT_PROBLEMS = 0, 1
CHECK_INTERVAL = 0.2
REDIS_TIMEOUT = 10.0
"""Seconds without Redis after which `--until-idle` gives up."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class StopConditions:
    """When to stop without a signal."""

    after: float | None = None
    """Seconds."""
    when_idle: bool = False


class Session:
    """Runs a supervisor, with a screen or plain output."""

    def __init__(
        self, options: DevOptions, specs: SpecLoader, first: LoadedSpecs, server: RedisServer, log: LogBuffer
    ) -> None:
        self._first = first
        self._log = log
        self._failure: CannotGoOn | None = None
        self.supervisor = Supervisor(options, specs, server, log)

    def run(self, conditions: StopConditions, *, screen: bool) -> int:
        """Run until it stops; returns the exit code. Raises CannotGoOn if it can never become idle."""
        with asyncio.Runner() as runner:
            return runner.run(self._run(conditions, screen=screen))

    async def _run(self, conditions: StopConditions, *, screen: bool) -> int:
        stop = asyncio.Event()
        self._on_signals(stop)
        self._log.write(self._first_line())
        running = asyncio.create_task(self.supervisor.run(self._first, stop))
        stopping = asyncio.create_task(self._stop_when(conditions, stop))
        output = asyncio.create_task(self._screen(stop) if screen else self._plain())
        output.add_done_callback(lambda _: stop.set())  # nobody reads the output any more
        try:
            await running
        finally:
            stopping.cancel()
            output.cancel()
            for result in await asyncio.gather(stopping, output, return_exceptions=True):
                if isinstance(result, Exception):
                    raise result
        if self._failure:
            raise self._failure
        return EXIT_PROBLEMS if self.supervisor.has_problems else EXIT_OK

    def _first_line(self) -> str:
        options, server = self.supervisor.options, self.supervisor.server
        workloads = self._first.workloads
        kinds = [one.kind for one in workloads]
        kinds_text = " and ".join(many(kinds.count(kind), kind) for kind in dict.fromkeys(sorted(kinds)))
        speed = f", autoscaler at {options.speed:g}x speed" if options.speed != 1 else ""
        return (
            f"running {kinds_text} in `{workloads[0].environment}` with Redis at {server.url.rpartition('@')[2]}{speed}"
        )

    def _on_signals(self, stop: asyncio.Event) -> None:
        """The first signal lets workers finish. The second kills them; the next run takes over their messages."""

        def handle(number: signal.Signals) -> None:
            if stop.is_set():
                self._log.write("second signal: stopping now")
                self.supervisor.kill_all()
                return
            self._log.write(f"{number.name}: waiting for workers to finish; repeat to stop now")
            stop.set()

        loop = asyncio.get_running_loop()
        for one in SIGNALS:
            loop.add_signal_handler(one, handle, one)

    async def _stop_when(self, conditions: StopConditions, stop: asyncio.Event) -> None:
        started_at = time.monotonic()
        while not stop.is_set():
            await asyncio.sleep(CHECK_INTERVAL)
            if conditions.after is not None and time.monotonic() - started_at >= conditions.after:
                self._log.write(f"stopping after {conditions.after:g} s")
                stop.set()
            elif conditions.when_idle and self.supervisor.idle:
                self._log.write("idle: nothing pending")
                stop.set()
            elif conditions.when_idle and self.supervisor.stuck:
                self._log.write("stopping: some processes cannot start")
                stop.set()
            elif conditions.when_idle and self.supervisor.unreachable_for >= REDIS_TIMEOUT:
                where = self.supervisor.snapshot().redis.address
                says = f"Redis at {where} has been unreachable for {REDIS_TIMEOUT:g} s"
                self._failure = CannotGoOn(says, "check that it runs and can be reached from here")
                stop.set()

    async def _plain(self, after: int = 0) -> None:
        """Write the lines after this number."""
        plain = PlainOutput(self.supervisor.snapshot, _write, time.monotonic, after)
        try:
            await plain.run()
        finally:
            plain.update()

    async def _screen(self, stop: asyncio.Event) -> None:
        """Show the screen until the user quits; then write the remaining lines."""
        from penstock_dev.running.control import SupervisorControl  # noqa: PLC0415 - only needed with a screen
        from penstock_dev.screen import show  # noqa: PLC0415 - slow to load

        try:
            await show(self.supervisor.snapshot, SupervisorControl(self.supervisor))
        finally:
            stop.set()
        shown = max(line.number for line in self._log.lines)  # there is at least the first line
        self._log.write("waiting for workers to finish; Ctrl-C stops now")
        await self._plain(shown)


def _write(line: str) -> None:
    click.echo(line)
