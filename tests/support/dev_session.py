"""A repository with one pipeline, and runs of `penstock dev` in it; a variable marks the processes of each run."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import uuid
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Self

from child_processes import is_alive
from patience import PATIENCE
from raw_client import RawClient, Reply
from servers import wait_for

SUPPORT = Path(__file__).parent
MARK = "PENSTOCK_TEST_MARK"
PLATFORM = """\
kind: platform
environments:
  dev:
    namespace: tests
    redis: {addresses: ["127.0.0.1:6379"]}
    routes: {default: {slack: "#tests"}}
"""
SPEC = """\
kind: pipeline
name: trial
owner: {team: tests}
handler: handlers:handle
image: registry.example/trial:1.0.0
stream: {key: trial, group: trial}
message: {schema: {type: object, required: [id], properties: {id: {type: string}}}}
"""
HANDLERS = """\
import ledger

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    ledger.note("end", message["id"], context.fence)
"""
SLOW = """\
import asyncio
import os
from pathlib import Path
import ledger

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    while not Path(os.environ["LEDGER"] + ".go").exists():
        await asyncio.sleep(0.02)
    ledger.note("end", message["id"], context.fence)
"""
"""Handlers that run until `go_on` is called."""
URL = re.compile(r"redis://127\.0\.0\.1:(\d+)")


class Laptop:
    """A repository, and each `penstock dev` that a test starts in it. All runs end with the test."""

    def __init__(self, folder: Path, *, handlers: str = HANDLERS, spec: str = "") -> None:
        """`spec` adds sections to a complete spec, one a line."""
        self.folder = folder
        self.ledger = folder / "ledger"
        self.spec = folder / "specs" / "trial.yaml"
        self.handlers = folder / "handlers.py"
        self.runs: list[Dev] = []
        self.spec.parent.mkdir()
        sections = {line.partition(":")[0] for line in spec.splitlines()}
        kept = [line for line in SPEC.splitlines() if line.partition(":")[0] not in sections]
        self.spec.write_text("\n".join([*kept, spec, ""]))
        (folder / "penstock.yaml").write_text(PLATFORM)
        self.handlers.write_text(handlers)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for run in self.runs:
            run.kill()
            if error is not None:
                sys.stdout.write(run.log()[-4000:])

    def environ(self, mark: str) -> dict[str, str]:
        """The variables that a run gets in addition."""
        return {
            MARK: mark,
            "LEDGER": str(self.ledger),
            "LEDGER_WORKER": "dev",
            "PYTHONPATH": os.pathsep.join((str(SUPPORT), str(self.folder))),
            "PYTHONUNBUFFERED": "1",
        }

    def dev(self, *options: str, **environ: str) -> Dev:
        """Run `penstock dev trial` with plain output."""
        return self._start(("dev", "trial", "--env", "dev", *options), environ)

    def dev_of(self, spec: str, *options: str) -> Dev:
        """Run another spec."""
        return self._start(("dev", spec, "--env", "dev", "--plain", *options), {})

    def dev_alone(self, spec: str) -> Dev:
        """Run a spec without any option."""
        return self._start(("dev", spec), {})

    def dev_into_a_pipe(self) -> Dev:
        """Write the output into a pipe for `read_a_line_and_go`, and not into the log."""
        return self._start(("dev", "trial", "--env", "dev"), {}, piped=True)

    def dev_all(self) -> Dev:
        """Run all specs."""
        return self._start(("dev", "--env", "dev"), {})

    def _start(self, words: tuple[str, ...], environ: dict[str, str], *, piped: bool = False) -> Dev:
        run = Dev(self, words, environ, piped=piped)
        self.runs.append(run)
        return run

    def go_on(self) -> None:
        """Let the slow handlers end."""
        Path(f"{self.ledger}.go").touch()

    def files(self) -> set[str]:
        """Names of everything here but the repository's own files and those of Python and the test."""
        names = {path.relative_to(self.folder).parts[0] for path in self.folder.rglob("*")}
        own = {"specs", "penstock.yaml", "handlers.py", "ledger", "ledger.go", "__pycache__"}
        return {name for name in names - own if not name.endswith(".log")}


class Dev:
    """One run of `penstock dev`."""

    def __init__(self, laptop: Laptop, words: tuple[str, ...], environ: dict[str, str], *, piped: bool) -> None:
        self.mark = uuid.uuid4().hex
        self._folder = laptop.folder
        self._log = laptop.folder / f"{self.mark[:8]}.log"
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "penstock", *words],
                cwd=laptop.folder,
                env={**os.environ, **laptop.environ(self.mark), **environ},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if piped else log,
                stderr=log,
            )

    def log(self) -> str:
        """Everything that it wrote."""
        return self._log.read_text(errors="replace")

    def read_a_line_and_go(self) -> None:
        """Read one line and close the pipe, as `head -1` does."""
        assert self.process.stdout
        with self.process.stdout as pipe:
            assert pipe.readline()

    def until(self, text: str, seconds: float = PATIENCE) -> Self:
        """Wait until the log matches a pattern."""
        wait_for(lambda: self._logged(text) or self.process.poll() is not None, f"the log has: {text}", seconds)
        assert self._logged(text), self.log()
        return self

    def count_of(self, text: str) -> int:
        """How often the log matches a pattern."""
        return len(re.findall(text, self.log()))

    def _logged(self, text: str) -> bool:
        return re.search(text, self.log()) is not None

    def ask(self, *command: str | bytes | float) -> Reply:
        """Send a command to its Redis."""
        with closing(RawClient("127.0.0.1", self.port)) as client:
            return client.ask(*command)

    def server(self) -> Reply:
        """`INFO server` of its Redis; None if Redis is gone."""
        try:
            return self.ask("INFO", "server")
        except OSError:
            return None

    @property
    def port(self) -> int:
        """The port of its Redis."""
        return int(URL.findall(self.until(URL.pattern).log())[-1])

    def send(self, count: int, first: int = 0) -> None:
        """Send messages as any Redis client would, all at once."""
        adds = "\n".join(
            f"redis.call('XADD', 'trial', '*', 'data', '{{\"id\": \"{number}\"}}')"
            for number in range(first, first + count)
        )
        self.ask("EVAL", adds, 0)

    def left(self) -> Reply:
        """How many messages are in the stream."""
        return self.ask("XLEN", "trial")

    def processes(self, command: str = "") -> list[int]:
        """Its running processes whose command contains a text."""
        return marked(self.mark, command)

    def workers(self) -> list[int]:
        """Its worker processes, without the shells around them and the children that they fork."""
        return workers(self.mark)

    def until_all_ended(self) -> None:
        """Wait until it has ended, and everything it started. Redis overwrites the mark, but stays in its folder."""
        self.process.wait(PATIENCE)
        wait_for(lambda: not self.processes(), "no process is left", PATIENCE)
        wait_for(lambda: not processes_in(self._folder), "no Redis is left", PATIENCE)

    def interrupt(self) -> int:
        """Send Ctrl-C and return the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        """Send SIGKILL."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def wait(self) -> int:
        """Wait until it ends by itself and return the exit code."""
        return self.process.wait(PATIENCE)


def marked(mark: str, command: str = "") -> list[int]:
    """Processes with this mark, which children inherit."""
    pids = []
    for path in Path("/proc").iterdir():
        if not path.name.isdigit():
            continue
        try:
            words = (path / "cmdline").read_bytes()
            has_mark = f"{MARK}={mark}".encode() in (path / "environ").read_bytes()
        except OSError:
            continue
        if has_mark and command.encode() in words.replace(b"\0", b" ") and is_alive(int(path.name)):
            pids.append(int(path.name))
    return pids


def processes_in(folder: Path) -> list[int]:
    """Processes whose working directory is in this folder."""
    pids = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (path / "cwd").readlink().is_relative_to(folder) and is_alive(int(path.name)):
                pids.append(int(path.name))
    return pids


def workers(mark: str) -> list[int]:
    """Worker processes, without the shells around them and the children that they fork."""
    return [pid for pid in marked(mark, "-m penstock worker") if not _is_shell(pid)]


def _is_shell(pid: int) -> bool:
    return (Path("/proc") / str(pid) / "cmdline").read_bytes().startswith(b"/bin/sh")
