"""The demo's command: its output, its signals and its exit code."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from penstock.terminal.console import here, painter, today
from penstock.terminal.output import Progress
from penstock.terminal.resolving import EMBEDDED_FOLDER as KEPT_REDIS
from penstock_dev.demo import ledger, report, traffic
from penstock_dev.demo.run import DemoResult, DemoRun, Moment
from penstock_dev.demo.workspace import CODE, ENVIRONMENT, workspace
from penstock_dev.running.instance_lock import FOLDER, instance_lock
from penstock_dev.running.launching import DevOptions, environ_for
from penstock_dev.running.log_buffer import LogBuffer
from penstock_dev.running.server import RepositoryRedis
from penstock_dev.running.spec_loader import LoadedSpecs, SpecLoader, SpecSelection
from penstock_dev.running.supervisor import Supervisor
from penstock_spec.findings import CannotGoOn

SPEED = 20.0
EXIT_ERROR, EXIT_STOPPED, EXIT_FAILED = 2, 130, 1


def command() -> int:
    """Run the demo; returns the exit code."""
    try:
        return _demo(here())
    except CannotGoOn as error:
        click.echo(f"error: {error.says}", err=True)
        if error.hint:
            click.echo(f"hint: {error.hint}", err=True)
        return EXIT_ERROR
    except KeyboardInterrupt:
        click.echo("stopped; nothing is left behind", err=True)
        return EXIT_STOPPED
    except OSError as error:
        click.echo(f"error: {error.strerror or error}{f': {error.filename}' if error.filename else ''}", err=True)
        return EXIT_ERROR


def _demo(root: Path) -> int:
    with workspace(root) as folder:
        click.echo(painter()(report.title(), "bold"))
        for line in report.introduction(SPEED):
            click.echo(line)
        click.echo(f"  `penstock generate`: {generate(folder)}")
        file = folder / "ledger"
        log, specs = LogBuffer(), SpecLoader(SpecSelection((), folder / "penstock.yaml", ENVIRONMENT, folder, today))
        first = specs.read()
        if not first.workloads:
            says = "; ".join(f"{one.at}: {one.says}" for one in first.outcome.findings[:1])
            raise CannotGoOn(f"the demo's spec is not valid: {says}", "see `penstock lint`")
        with instance_lock(folder / FOLDER) as files, RepositoryRedis(folder / KEPT_REDIS, log) as server:
            environ = environ_for(os.environ, embedded=True) | {ledger.VARIABLE: str(file)}
            options = DevOptions(folder, folder, files, (folder / CODE,), SPEED, environ, scrapes=False)
            with asyncio.Runner() as runner:
                result = runner.run(_run(Supervisor(options, specs, server, log), first, file))
    if result is None:
        raise KeyboardInterrupt
    for line in _report(result):
        click.echo(line)
    return 0 if report.adds_up(result) else EXIT_FAILED


def generate(folder: Path) -> str:
    """Run `penstock generate` in the folder and return its output. Raises CannotGoOn."""
    words = [sys.executable, "-m", "penstock", "generate", "--env", ENVIRONMENT]
    result = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 - trusted arguments
    if result.returncode:
        raise CannotGoOn(f"`penstock generate` fails: {result.stderr.strip()}", "see `penstock generate`")
    return result.stdout.strip()


async def _run(supervisor: Supervisor, first: LoadedSpecs, file: Path) -> DemoResult | None:
    """Run the demo to its end; None if it was stopped."""
    stop, progress = asyncio.Event(), Progress()

    def handle() -> None:
        supervisor.kill_all()  # nothing of a demo is worth waiting for
        stop.set()

    loop = asyncio.get_running_loop()
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(one, handle)

    def log(at: float, text: str) -> None:
        progress.end()
        click.echo(f"  {at:5.1f} s  {text}")

    running = asyncio.create_task(supervisor.run(first, stop))
    playing = asyncio.create_task(DemoRun(supervisor, file, lambda one: progress.show(_progress_line(one)), log).run())
    try:
        await asyncio.wait((running, playing), return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            playing.cancel()
            await running
            return None
        return await playing
    finally:
        progress.end()
        stop.set()
        await running


def _progress_line(one: Moment) -> str:
    return (
        f"  {one.at:5.1f} s  sent {one.sent:,}  done {one.done:,} of {traffic.TOTAL:,}  "
        f"replicas {one.replicas}/{one.wanted}  backlog {one.backlog:,}"
    )


def _report(result: DemoResult) -> Iterator[str]:
    bold = painter()
    yield ""
    yield bold("messages, counted in a file that the handlers write outside Redis", "bold")
    yield from report.account(result)
    yield ""
    yield bold("messages that ran twice, and why", "bold")
    yield from report.ran_twice(result)
    yield ""
    yield bold("replicas over time: # is a ready process", "bold")
    yield from report.replicas(result.moments)
    yield ""
    yield bold("next steps", "bold")
    yield from report.next_steps()
    yield ""
    yield report.summary(result)
