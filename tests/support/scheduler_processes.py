"""A repository with one scheduler, its pods as processes of `penstock`, and a ledger of what their jobs did."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from ledger import Line, by_message, read
from patience import PATIENCE
from pipelines import PLATFORM, SUPPORT, Process, Trial
from raw_client import Reply
from servers import wait_for
from targets import Target

from penstock_spec.kinds.scheduler.keys import KeyNames, SchedulerKeys

SPEC = """\
kind: scheduler
name: trial
owner: {team: tests}
handler: handlers:handle
image: registry.example/trial:1.0.0
keys: {hash_tag: trial}
"""
MAIL = """\
kind: pipeline
name: mail
owner: {team: tests}
handler: handlers:handle
image: registry.example/mail:1.0.0
stream: {key: mail, group: mail}
message:
  schema: {type: object, required: [id], properties: {id: {type: string}}}
  dedup: {by: id, window: 1h}
"""
"""A pipeline that jobs send to."""
HANDLERS = """\
import ledger

async def handle(job, context):
    ledger.note("start", job.name, context.fence)
    ledger.note("end", job.name, context.fence)
"""
KEYS = SchedulerKeys.of(KeyNames(hash_tag="trial"))


class Schedule(Trial):
    """A repository in a folder, its Redis, and its processes, which end with the test."""

    def __init__(self, folder: Path, target: Target, *, handlers: str = HANDLERS, spec: str = "") -> None:
        """`spec` adds sections to a spec that lacks only jobs; each is one line, or has indented lines."""
        super().__init__(folder, target, handlers=handlers)
        self.write_spec(spec)

    def write_spec(self, spec: str) -> None:
        """Replace the sections of the spec."""
        sections = {line.partition(":")[0] for line in spec.splitlines()}
        kept = [line for line in SPEC.splitlines() if line.partition(":")[0] not in sections]
        (self.folder / "specs" / "trial.yaml").write_text("\n".join([*kept, spec, ""]))
        (self.folder / "penstock.yaml").write_text(PLATFORM)

    def pod(self, *options: str, environ: Mapping[str, str] | None = None) -> Process:
        """Start a pod; `ready` waits for its lease."""
        words = ("scheduler", "run", "trial", "--redis", self.target.url, "--listen", "127.0.0.1:0", *options)
        return self.start(*words, environ=environ)

    def call(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run `penstock scheduler` to its end."""
        verb, *rest = words
        return subprocess.run(
            [sys.executable, "-m", "penstock", "scheduler", verb, "trial", *rest, "--redis", self.target.url],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(SUPPORT), **self.target.environ()},
            capture_output=True,
            text=True,
            check=False,
        )

    def lines(self, what: str = "start") -> dict[str, list[Line]]:
        """The ledger's lines of one kind, by job."""
        return by_message(read(self.ledger), what)

    def until_ran(self, job: str, times: int = 1, seconds: float = PATIENCE) -> None:
        """Wait until a job has run a number of times."""
        wait_for(lambda: len(self.lines("end").get(job, [])) >= times, f"`{job}` has ended {times} times", seconds)

    def places(self, job: str) -> list[str]:
        """The sets that hold a job."""
        sets = {"waiting": KEYS.waiting, "working": KEYS.working, "paused": KEYS.paused}
        return [name for name, key in sets.items() if self.ask("ZSCORE", key, job) is not None]

    def assert_each_in_one_set(self, jobs: list[str]) -> None:
        """Each job is in exactly one set. No pod may move jobs meanwhile."""
        names: list[str] = []
        for key in (KEYS.waiting, KEYS.working, KEYS.paused):
            reply: Reply = self.ask("ZRANGE", key, 0, -1)
            assert isinstance(reply, list)
            names += map(str, reply)
        assert sorted(names) == sorted(jobs)


def overlaps(starts: dict[str, list[Line]], ends: dict[str, list[Line]], lost: dict[str, float]) -> list[str]:
    """Jobs that ran in two places at once. `lost` has the times at which pods were killed, by name."""
    overlapping = []
    for job, started in starts.items():
        until = {line.fence: line.at for line in ends.get(job, [])}
        spans = sorted((line.at, until.get(line.fence, lost.get(line.worker)), line.fence) for line in started)
        for (_, ended, fence), (began, _, next_) in pairwise(spans):
            if ended is None or ended > began:
                overlapping.append(f"{job}: {next_} started before {fence} had ended")
    return overlapping


def holds(repo: Schedule, worker: str) -> bool:
    """Whether the pod runs a job at this moment."""
    ended = {line.fence for lines in repo.lines("end").values() for line in lines}
    return any(line.worker == worker and line.fence not in ended for lines in repo.lines().values() for line in lines)
