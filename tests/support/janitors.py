"""A repository with pipelines, and processes of `penstock janitor`."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from patience import PATIENCE
from pipeline_driver import PipelineDriver
from servers import Server, wait_for
from targets import Target

from penstock.observe.events import Event

SPEC = """\
kind: pipeline
name: {name}
owner: {{team: tests}}
handler: handlers:handle
image: registry.example/trial:1.0.0
stream: {{key: {name}, group: {name}}}
work: {{lease: 10s}}
"""
PLATFORM = """\
kind: platform
environments:
  dev: {namespace: tests, redis: {addresses: ["127.0.0.1:6379"]}}
"""


class JanitorRepository:
    """A folder with specs, and a driver for each pipeline."""

    def __init__(self, folder: Path, where: Target | Server, names: Sequence[str], spec: str) -> None:
        self.folder = folder
        self._where = where
        (folder / "specs").mkdir()
        (folder / "penstock.yaml").write_text(PLATFORM)
        for name in names:
            sections = {line.partition(":")[0] for line in spec.splitlines()}
            kept = [line for line in SPEC.format(name=name).splitlines() if line.partition(":")[0] not in sections]
            (folder / "specs" / f"{name}.yaml").write_text("\n".join([*kept, spec, ""]))
        self.drivers = {name: PipelineDriver(where, name=name) for name in names}
        self.janitors: list[JanitorProcess] = []

    @property
    def driver(self) -> PipelineDriver:
        """The driver of the first pipeline."""
        return next(iter(self.drivers.values()))

    def janitor(self, *options: str, environ: Mapping[str, str] | None = None) -> JanitorProcess:
        """Start a janitor."""
        environ = (self._where.environ() if isinstance(self._where, Target) else {}) | dict(environ or {})
        log = self.folder / f"{len(self.janitors)}.log"
        words = ["janitor", "--redis", self._where.url, "--listen", "127.0.0.1:0", *options]
        with log.open("ab") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "penstock", *words],
                cwd=self.folder,
                env={**os.environ, "PENSTOCK_TRACEBACK": "1", **environ},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )
        self.janitors.append(JanitorProcess(process, log))
        return self.janitors[-1]

    def leaders(self) -> list[JanitorProcess]:
        """The janitors that report that they are the leader."""
        return [one for one in self.janitors if one.leads()]

    def end(self) -> None:
        for one in self.janitors:
            one.kill()


class JanitorProcess:
    """A process of `penstock janitor`."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self._log = log

    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def lines(self) -> list[dict[str, Any]]:
        """The log lines, parsed."""
        return [json.loads(line) for line in self.log().splitlines() if line.startswith("{")]

    def events(self, *events: Event) -> list[dict[str, Any]]:
        """The log lines with one of these events."""
        return [line for line in self.lines() if line.get("event") in events]

    def until(self, event: Event) -> None:
        """Wait until it logs an event."""
        wait_for(lambda: self.events(event) or self.process.poll() is not None, f"the janitor logs `{event}`", PATIENCE)
        assert self.events(event), self.log()

    def leads(self) -> bool:
        """Whether it runs and reports that it is the leader."""
        states = self.events(Event.JANITOR_BECAME_LEADER, Event.JANITOR_BECAME_STANDBY)
        leads = bool(states) and states[-1]["event"] == Event.JANITOR_BECAME_LEADER
        return leads and self.process.poll() is None

    def page(self, path: str) -> tuple[int, str]:
        """The status and the body of an HTTP page."""
        port = self.events(Event.HTTP_LISTENING)[0]["port"]
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def number(self, metric: str, **labels: str) -> float | None:
        """The value of a metric on its page."""
        _, text = self.page("/metrics")
        for line in text.splitlines():
            match = re.fullmatch(r"(\w+)\{(.*)\} (\S+)", line)
            if match and match[1] == metric and all(f'{name}="{value}"' in match[2] for name, value in labels.items()):
                return float(match[3])
        return None

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        """Send SIGKILL; works while the process is suspended, too."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def end(self) -> int:
        """Send SIGTERM and return the exit code."""
        self.process.terminate()
        return self.process.wait(PATIENCE)
