"""`penstock dev` runs schedulers, with the number of pods in their spec."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import ledger
import pytest
from dev_controls import running
from dev_session import Laptop, marked
from event_loop import run_async, until
from servers import wait_for

from penstock_dev.running.log_buffer import LogBuffer
from penstock_dev.running.plain import numbers
from penstock_dev.running.server import RepositoryRedis
from penstock_dev.snapshot import SpecSnapshot, WorkerSnapshot, WorkerState
from penstock_spec.findings import CannotGoOn

ROOT = Path(__file__).parents[2]
CLOCKWORK = """\
kind: scheduler
name: clockwork
owner: {team: tests}
handler: clockwork:tick
image: registry.example/clockwork:1.0.0
jobs:
  - {name: tick, every: 1s}
  - {name: rare, every: 1h}
  - {name: remind, every: 1s, timeout: 20s, send: {pipeline: trial, message: {id: sent}}}
replicas: 1
"""
PRODUCTION = """\
  production:
    namespace: tests
    redis: {addresses: ["localhost:6379"]}
"""


def pods(mark: str) -> list[int]:
    """Processes of schedulers, without their watchers."""
    pids = marked(mark, "-m penstock scheduler run")
    return [pid for pid in pids if not Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"/bin/sh")]


def succeeded_jobs(folder: Path) -> list[str]:
    """The jobs whose last run succeeded, from `penstock scheduler list`."""
    words = ("scheduler", "list", "cache-agents", "--env", "dev", "--embedded", "--json")
    reply = subprocess.run([sys.executable, "-m", "penstock", *words], cwd=folder, capture_output=True, check=True)
    jobs = [json.loads(line) for line in reply.stdout.splitlines()]
    return [one["job"] for one in jobs if one["last"] and one["last"]["outcome"] == "ok"]


def test_the_example_runs_and_a_killed_pod_is_replaced(laptop: Laptop) -> None:
    """Without the pipeline that one of its jobs sends to, and without a janitor; nothing is left at the end.

    Only the spec is given: the environment defaults to `dev`, and the code is in `examples`.
    """
    for name in ("cache-agents.yaml", "jobs.yaml"):
        shutil.copy(ROOT / "specs" / name, laptop.spec.parent)
    shutil.copytree(ROOT / "examples" / "caching", laptop.folder / "examples" / "caching")
    platform = laptop.folder / "penstock.yaml"
    platform.write_text(platform.read_text() + PRODUCTION)
    spec = laptop.spec.parent / "cache-agents.yaml"
    spec.write_text(spec.read_text().replace("registration: 30s", "registration: 0s"))

    dev = laptop.dev_alone("specs/cache-agents.yaml")

    dev.until("penstock dev: running 1 scheduler in `dev` with")
    wait_for(lambda: len(pods(dev.mark)) == 1, "one pod runs", 40)
    dev.until(r"cache-agents: registered 7 .* ok [1-9]", 60)
    assert succeeded_jobs(laptop.folder)
    (pod,) = pods(dev.mark)
    os.kill(pod, signal.SIGKILL)
    dev.until("was killed by SIGKILL; starting a replacement")
    wait_for(lambda: pods(dev.mark) not in ([], [pod]), "another one runs", 40)
    assert not dev.processes("penstock janitor")
    assert dev.interrupt() == 0
    dev.until_all_ended()


def test_jobs_send_to_pipelines_and_keys_act_on_jobs(laptop: Laptop) -> None:
    """`s` runs the next job, `b` is refused, pausing pauses all jobs, and a kill kills a pod."""
    (laptop.spec.parent / "clockwork.yaml").write_text(CLOCKWORK)
    (laptop.folder / "clockwork.py").write_text("def tick(job, context):\n    pass\n")

    async def scenario() -> None:
        with RepositoryRedis(laptop.folder / ".penstock" / "redis", LogBuffer()) as server:
            async with running(laptop, server) as controls:

                def snapshot() -> SpecSnapshot:
                    return next(one for one in controls.supervisor.snapshot().specs if one.name == "clockwork")

                await until(lambda: bool(ledger.by_message(ledger.read(laptop.ledger), "end")), "a message is done")
                await until(lambda: (snapshot().done or 0) > 0, "runs are counted")
                assert dict(snapshot().numbers)["registered"] == 3
                with pytest.raises(CannotGoOn) as refused:
                    await controls.send("clockwork", 100)
                assert refused.value.says == "`clockwork` is a scheduler and takes no messages"
                assert refused.value.hint == "press `s` to run the next job now"
                assert await controls.pause("clockwork") == "paused all jobs"
                await until(lambda: snapshot().paused and dict(snapshot().numbers)["ready"] == 2, "all jobs are paused")
                assert await controls.send("clockwork", 1) == "job `rare` is due now"
                with pytest.raises(CannotGoOn) as refused:
                    await controls.send("clockwork", 1)
                assert refused.value.says == "`clockwork` has no waiting job"
                assert refused.value.hint == "see `penstock scheduler list`"
                assert await controls.resume("clockwork") == "resumed all jobs"
                await until(lambda: dict(snapshot().numbers)["ok"] == 3, "all of them have run")
                (pod,) = snapshot().workers
                assert await controls.kill("clockwork", pod.name) == f"killed {pod.name} (pid {pod.pid})"

    run_async(scenario())


def test_until_idle_is_refused_for_schedulers(laptop: Laptop) -> None:
    """Otherwise a CI job would never end."""
    (laptop.spec.parent / "clockwork.yaml").write_text(CLOCKWORK)
    dev = laptop.dev_of("clockwork", "--until-idle")
    assert dev.wait() == 2
    assert "`--until-idle` cannot be used with a scheduler: the jobs of `clockwork` recur forever" in dev.log()
    assert "use `--for`, or name only pipelines" in dev.log()


def test_the_numbers_of_a_scheduler_are_on_one_line() -> None:
    pod = WorkerSnapshot("a", 1, WorkerState.READY)
    jobs = (("registered", 7), ("running", 1), ("failing", 0))
    one = SpecSnapshot("c", "scheduler", jobs, 2, oldest=61.0, done=1.5, wanted=2, paused=True, workers=(pod,))
    line = "registered 7  running 1  failing 0  oldest overdue 1m1s  replicas 1/2  done/s 1.5  all paused"
    assert numbers(one) == line
