"""The command line of an operator of a pipeline, run in this process or as a separate one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import chdir
from dataclasses import dataclass
from typing import Any

import pytest
from event_loop import run_async
from patience import PATIENCE
from pipeline_driver import PipelineDriver
from pipelines import Trial
from raw_client import Reply
from servers import Server
from targets import Target

from penstock.command import main
from penstock.keys import PipelineKeys
from penstock.maintenance.replies import items
from penstock.operating.entry import Entry, EntryReader
from penstock.resolved import ResolvedPipeline
from penstock.wire.credentials import Credentials
from penstock.worker.dead_letter import dead_letter_fields
from penstock.worker.delivery import Buried, Delivery


def first_line(process: subprocess.Popen[str]) -> str:
    """The first line of output; a process without any has failed."""
    assert process.stdout
    line: str = process.stdout.readline()
    assert line, process.communicate()
    return line


@dataclass(frozen=True)
class Ran:
    """The result of a run."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - any document
        """The output as one JSON document."""
        return json.loads(self.out)

    @property
    def objects(self) -> list[Any]:
        """The output as one JSON document a line."""
        return [json.loads(line) for line in self.out.splitlines()]


class OperatorCli:
    """A repository with the pipeline `trial`, its Redis, and the command."""

    def __init__(
        self, trial: Trial, sections: str, monkeypatch: pytest.MonkeyPatch, capture: Callable[[], tuple[str, str]]
    ) -> None:
        """`sections` is YAML to add to the spec."""
        self.trial = trial
        self.driver = PipelineDriver(trial.target, sections)
        self.environ = environ_of(trial.target)
        self._monkeypatch = monkeypatch
        self._capture = capture
        for name, value in self.environ.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("COLUMNS", "80")

    @property
    def pipeline(self) -> ResolvedPipeline:
        return self.driver.pipeline

    @property
    def keys(self) -> PipelineKeys:
        return self.driver.keys

    @property
    def reader(self) -> EntryReader:
        return EntryReader(self.pipeline.spec, self.trial.folder)

    def ask(self, *command: str | bytes | float) -> Reply:
        return self.driver.ask(*command)

    def penstock(self, *words: str, redis: str | None = None) -> Ran:
        """Run in this process. `redis` is another Redis, without users; an empty text leaves the option out."""
        arguments = ["penstock", *words, *([] if redis == "" else ["--redis", redis or self.trial.target.url])]
        self._capture()
        with chdir(self.trial.folder), self._monkeypatch.context() as patch:
            patch.setattr(sys, "argv", arguments)
            for name in self.environ if redis else ():
                patch.delenv(name)
            with pytest.raises(SystemExit) as stopped:
                main()
        out, err = self._capture()
        code = stopped.value.code
        return Ran(code if isinstance(code, int) else 1, out, err)

    def start(
        self,
        *words: str,
        redis: str | None = None,
        environ: Mapping[str, str] | None = None,
        **more: Any,  # noqa: ANN401 - as Popen takes them
    ) -> subprocess.Popen[str]:
        """Start a separate process. A timer kills one that hangs, so that no test waits for a line forever."""
        variables = {**({} if redis else self.environ), **(environ or {})}
        process = subprocess.Popen(
            [sys.executable, "-m", "penstock", *words, "--redis", redis or self.trial.target.url],
            cwd=self.trial.folder,
            env={**{name: os.environ[name] for name in os.environ if not name.startswith("REDIS_")}, **variables},
            text=True,
            **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more},
        )
        watchdog = threading.Timer(PATIENCE, process.kill)
        watchdog.daemon = True
        watchdog.start()
        return process

    def dies(
        self,
        *fields: bytes,
        error: str = "ValueError: no",
        reason: str = "failed",
        attempts: int = 5,
        entry: str = "1-1",
    ) -> str:
        """Write a dead letter as a worker does; return its id."""
        delivery = Delivery(entry.encode(), fields, "worker~01234567", attempts)
        reply = self.ask(
            "XADD",
            self.keys.dead,
            "*",
            *dead_letter_fields(Buried(delivery, reason, error), self.keys, 1_700_000_000_000),
        )
        return str(reply)

    def died(self, count: int, **options: Any) -> list[str]:  # noqa: ANN401 - as `dies` takes them
        """Write dead letters that differ in the field `n` of their body."""
        return [self.dies(b"data", b'{"n": %d}' % n, **options) for n in range(count)]

    def dead(self) -> dict[str, list[str]]:
        """The dead letters by id: names and values in turn."""
        return {one[0]: one[1] for one in self.driver.listed("XRANGE", self.keys.dead, "-", "+")}

    def entries(self) -> list[list[str]]:
        """Names and values of all entries of the stream."""
        return [one[1] for one in self.driver.listed("XRANGE", self.keys.stream, "-", "+")]

    def exact(self, key: str) -> list[list[bytes]]:
        """Names and values of all entries, byte for byte."""

        async def read() -> list[list[bytes]]:
            link = self.driver.link()
            try:
                return [list(Entry.of(one).fields) for one in items(await link.call("XRANGE", key, "-", "+"))]
            finally:
                await link.close()

        return run_async(read())


def environ_of(target: Target) -> dict[str, str]:
    """The environment variables that name a target's user."""
    auth = target.redis.auth
    return target.environ() | ({"REDIS_USERNAME": auth.username} if auth and auth.username else {})


def on(server: Server) -> Target:
    """A test's own server as a target."""
    return Target(server.model(), Credentials(password=server.password), [server])
