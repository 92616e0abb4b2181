"""A repository with one pipeline, and processes of `penstock` that run it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from patience import PATIENCE
from raw_client import Reply
from servers import wait_for
from targets import Target

from penstock.observe.events import Event

SPEC = """\
kind: pipeline
name: trial
owner: {team: tests}
handler: handlers:handle
image: registry.example/trial:1.0.0
stream: {key: trial, group: trial}
message: {schema: {type: object, required: [id], properties: {id: {type: string}}}}
"""
PLATFORM = """\
kind: platform
environments:
  dev: {namespace: tests, redis: {addresses: ["127.0.0.1:6379"]}}
"""
HANDLERS = """\
import ledger

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    ledger.note("end", message["id"], context.fence)
"""
SUPPORT = Path(__file__).parent
KEY = "trial"
DEAD = "{trial}:trial:dead"


class Trial:
    """A repository in a folder, its Redis, and its processes, which end with the test."""

    def __init__(self, folder: Path, target: Target, *, handlers: str = HANDLERS, spec: str = "") -> None:
        """`spec` adds sections to a complete spec, one a line."""
        self.folder = folder
        self.target = target
        self.ledger = folder / "ledger"
        self.processes: list[Process] = []
        (folder / "specs").mkdir()
        sections = {line.partition(":")[0] for line in spec.splitlines()}
        kept = [line for line in SPEC.splitlines() if line.partition(":")[0] not in sections]
        (folder / "specs" / "trial.yaml").write_text("\n".join([*kept, spec, ""]))
        (folder / "penstock.yaml").write_text(PLATFORM)
        (folder / "handlers.py").write_text(handlers)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self.processes:
            process.kill()
            if error is not None:
                sys.stdout.write(process.log()[-4000:])

    def start(self, *words: str, environ: Mapping[str, str] | None = None, module: str = "penstock") -> Process:
        """Start a process of `penstock` in the repository; `module` is another module that does the same."""
        process = Process(self, words, environ or {}, module)
        self.processes.append(process)
        return process

    def worker(self, *options: str) -> Process:
        """Start a worker; `ready` waits until it has joined the group."""
        return self.start("worker", "trial", "--redis", self.target.url, "--listen", "127.0.0.1:0", *options)

    def ask(self, *command: str | bytes | float) -> Reply:
        """Send a command to Redis."""
        return self.target.ask(*command)

    def send(self, bodies: Iterable[Mapping[str, Any]]) -> None:
        """Send messages as any Redis client would."""
        for body in bodies:
            self.ask("XADD", KEY, "*", "data", json.dumps(body))

    def number(self, *command: str | bytes | float) -> int:
        """Send a command whose reply is a number."""
        reply = self.ask(*command)
        assert isinstance(reply, int), reply
        return reply

    def left(self) -> int:
        """How many messages are in the stream, which are those not done."""
        return self.number("XLEN", KEY)

    def dead(self) -> list[dict[str, str]]:
        """The fields of the dead letters."""
        reply = self.ask("XRANGE", DEAD, "-", "+")
        assert isinstance(reply, list)
        dead_letters = []
        for entry in reply:
            assert isinstance(entry, list)
            fields = entry[1]
            assert isinstance(fields, list)
            dead_letters.append(dict(zip(map(str, fields[::2]), map(str, fields[1::2]), strict=True)))
        return dead_letters

    def until_drained(self, seconds: float = PATIENCE) -> None:
        """Wait until the stream is empty."""
        wait_for(lambda: self.left() == 0, "the stream is empty", seconds)

    def assert_nothing_left(self) -> None:
        """Nothing is pending or parked, and no side key holds data of finished messages."""
        summary = self.ask("XPENDING", KEY, "trial")
        assert isinstance(summary, list)
        assert summary[0] == 0, summary
        assert self.number("ZCARD", "{trial}:trial:parked") == 0
        uncharged = self.ask("HKEYS", "{trial}:trial:uncharged")
        assert isinstance(uncharged, list)
        assert set(map(str, uncharged)) <= {"~count"}
        assert self.number("HLEN", "{trial}:trial:crashed") == 0

    def live_consumers(self) -> list[str]:
        """Consumers of worker processes, without those that stand for a state."""
        reply = self.ask("XINFO", "CONSUMERS", KEY, "trial")
        assert isinstance(reply, list)
        names = [str(dict(zip(one[::2], one[1::2], strict=True))["name"]) for one in reply if isinstance(one, list)]
        return [name for name in names if not name.startswith("~")]


class Process:
    """A process of `penstock`."""

    def __init__(
        self, trial: Trial, words: tuple[str, ...], environ: Mapping[str, str], module: str = "penstock"
    ) -> None:
        self.name = uuid.uuid4().hex[:8]
        self._log = trial.folder / f"{self.name}.log"
        paths = os.pathsep.join((str(SUPPORT), str(trial.folder)))
        own = {
            "LEDGER": str(trial.ledger),
            "LEDGER_WORKER": self.name,
            "PYTHONPATH": paths,
            "PENSTOCK_TRACEBACK": "1",
            **trial.target.environ(),
        }
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", module, *words],
                cwd=trial.folder,
                env={**os.environ, **own, **environ},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.began = time.monotonic()
        self.killed: float | None = None

    def log(self) -> str:
        """Everything that it wrote."""
        return self._log.read_text(errors="replace")

    def lines(self) -> list[dict[str, Any]]:
        """The log lines, parsed."""
        return [json.loads(line) for line in self.log().splitlines() if line.startswith("{")]

    def lines_with(self, message: str) -> list[dict[str, Any]]:
        """The log lines of handlers with this message."""
        return [line for line in self.lines() if line["message"] == message]

    def events(self, event: Event) -> list[dict[str, Any]]:
        """The log lines of Penstock with this event."""
        return [line for line in self.lines() if line.get("event") == event]

    def ready(self, seconds: float = PATIENCE) -> Self:
        """Wait until it has joined its group."""
        return self.until(Event.CONSUMER_JOINED, seconds)

    def until(self, event: Event, seconds: float = PATIENCE, *, times: int = 1) -> Self:
        """Wait until it has logged an event."""
        return self._until(lambda: len(self.events(event)) >= times, f"`{event}` {times} times", seconds)

    def until_text(self, text: str, seconds: float = PATIENCE) -> Self:
        """Wait until the output has a text."""
        return self._until(lambda: text in self.log(), text, seconds)

    def _until(self, happened: Callable[[], bool], description: str, seconds: float) -> Self:
        wait_for(lambda: happened() or self.process.poll() is not None, f"{self.name} logs {description}", seconds)
        assert happened(), self.log()
        return self

    def kill(self) -> None:
        """Send SIGKILL if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
            self.killed = time.monotonic()

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def end(self, seconds: float = PATIENCE) -> int:
        """Send SIGTERM and return the exit code."""
        self.process.terminate()
        return self.process.wait(seconds)
