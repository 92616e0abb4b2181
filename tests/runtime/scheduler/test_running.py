"""A pod runs jobs: how runs end, when jobs are due again, and the commands for operators."""

import json
import re
import signal
from collections.abc import Callable
from typing import Any

import pytest
from http_probes import numbers, page, until_counted
from patience import PATIENCE
from scheduler_processes import KEYS, Schedule, overlaps
from servers import wait_for

from penstock.observe.events import Event
from penstock_spec.kinds.scheduler.metrics import METRICS
from penstock_spec.metrics import MetricKind

HANDLERS = """\
import asyncio, pathlib, threading, time
import ledger

async def handle(job, context):
    ledger.note("start", job.name, context.fence)
    match job.name:
        case "fails" if context.attempt < 3:
            raise ConnectionError
        case "forbidden":
            raise PermissionError
        case "hangs":
            await asyncio.sleep(3600)
        case "held":
            while not pathlib.Path("released").exists():
                await asyncio.sleep(0.02)
        case "args":
            ledger.note(job.args["word"], job.name, context.fence)
    ledger.note("end", job.name, context.fence)

def plain(job, context):
    assert threading.current_thread() is not threading.main_thread()
    ledger.note("start", job.name, context.fence)
    if job.name == "deaf":
        while not pathlib.Path("released").exists():
            time.sleep(0.02)
    while job.name == "listens" and not context.cancelled:
        time.sleep(0.02)
    ledger.note("end", job.name, context.fence)
"""
SPEC = """\
jobs:
  - {name: usual, every: 1s}
  - {name: args, every: 1s, args: {word: given}}
  - {name: plain, every: 1s, handler: "handlers:plain"}
  - {name: fails, every: 1h, error_interval: 1s}
  - {name: forbidden, every: 1s, error_interval: 1s}
failures: {by_class: true, classes: {transient: {immediate: 5}}}
"""
STUBBORN = """\
jobs:
  - {name: hangs, every: 1h, timeout: 1s, error_interval: 1h}
  - {name: listens, every: 1h, timeout: 1s, handler: "handlers:plain", error_interval: 1h}
  - {name: deaf, every: 1h, timeout: 1s, handler: "handlers:plain", error_interval: 1h}
work: {concurrency: 3}
cleanup: {zombies: {threshold: 1s, abandon_after: 1s}}
shutdown: {cancel: 1s, force: 1s}
"""
DEAF = """\
jobs: [{name: deaf, every: 1s, timeout: 1s, handler: "handlers:plain"}]
work: {lease: 10s}
"""
HELD = """\
jobs:
  - {name: held, every: 1s, timeout: 1h}
  - {name: later, every: 1s}
  - {name: nightly, cron: "0 3 1 1 *", time_zone: Europe/Berlin}
  - {name: off, every: 1s}
patterns: {disabled: "off"}
cleanup: {orphans: {enabled: false}}  # so that a foreign entry stays during the test
"""


def record(repo: Schedule, job: str) -> dict[str, Any]:
    reply = repo.ask("HGET", KEYS.story, job)
    value: dict[str, Any] = json.loads(str(reply)) if reply else {}
    return value


def due(repo: Schedule, job: str) -> int:
    return int(float(str(repo.ask("ZSCORE", KEYS.waiting, job))))


def seconds(repo: Schedule) -> int:
    """Redis time."""
    reply = repo.ask("TIME")
    assert isinstance(reply, list)
    return int(str(reply[0]))


@pytest.mark.wire
def test_jobs_run_again_and_again(schedule: Callable[..., Schedule]) -> None:
    """Coroutines, and plain functions in threads, with their arguments; failed runs wait as their class demands."""
    with schedule(handlers=HANDLERS, spec=SPEC) as repo:
        pod = repo.pod()
        for job in ("usual", "args", "plain"):
            repo.until_ran(job, 3)
        repo.until_ran("fails")
        assert len(repo.lines("given")["args"]) >= 3
        assert len(repo.lines()["fails"]) == 3, "two immediate retries, then success"
        wait_for(lambda: record(repo, "fails")["outcome"] == "ok", "the end of the run is recorded")
        last = record(repo, "fails")
        assert (last["streak"], last["next"] - last["due"] >= 3600) == (0, True)
        assert len(repo.lines()["forbidden"]) == 1
        last = record(repo, "forbidden")
        assert (last["class"], last["streak"]) == ("forbidden", 1)
        assert 0.9 * 1800 <= last["next"] - last["ended"] <= 1.1 * 1800 + 1, "half an hour, jittered by a tenth"
        counted = numbers(pod)
        assert counted.by("scheduler_runs", "class") == {
            "-": counted.of("scheduler_runs", outcome="ok"), "transient": 2, "forbidden": 1,
        }  # fmt: skip
        assert pod.end() == 0
        repo.assert_each_in_one_set(["usual", "args", "plain", "fails", "forbidden"])
        assert repo.number("ZCARD", KEYS.pods) == 0


def test_it_exports_exactly_the_metrics_of_the_contract(schedule: Callable[..., Schedule]) -> None:
    """A counter without events is 0."""
    with schedule(spec="jobs: [{name: usual, every: 1s}]") as repo:
        pod = repo.pod()
        repo.until_ran("usual", 2)
        until_counted(pod, "scheduler_waiting", 1)
        exported = numbers(pod)
        assert {name for name in exported.families if name.startswith("penstock_")} == set(METRICS)
        assert exported.of("scheduler_info", role="scheduler") == 1
        assert exported.of("scheduler_registered") == exported.of("scheduler_leader") == 1
        assert exported.of("scheduler_permits") == 100
        assert exported.of("scheduler_acquired") == exported.of("scheduler_lateness") >= 2
        assert exported.of("scheduler_redis_connections") == 5
        happened = {"acquired", "runs", "redis_connects", "reconciled"}
        counters = {name for name, metric in METRICS.items() if metric.kind is MetricKind.COUNTER}
        for name in counters - {f"penstock_scheduler_{one}_total" for one in happened}:
            assert {sample.value for sample in exported.families[name].samples if sample.name == name} == {0}, name
        assert page(pod, "/livez")[0] == page(pod, "/readyz")[0] == 200
        assert pod.end() == 0


def test_a_run_beyond_its_timeout_is_cancelled(schedule: Callable[..., Schedule]) -> None:
    """After its deadline and the threshold. A run that ignores this returns its permit, and keeps its job."""
    with schedule(handlers=HANDLERS, spec=STUBBORN) as repo:
        pod = repo.pod()
        until_counted(pod, "scheduler_zombies_cancelled", 3, by="timer")
        repo.until_ran("listens")
        until_counted(pod, "scheduler_abandoned_running", 1)
        wait_for(lambda: numbers(pod).of("scheduler_permits_free") == 3, "all permits are free")
        wait_for(lambda: record(repo, "hangs").get("outcome") == "cancelled", "`hangs` is handed back")
        assert repo.places("deaf") == ["working"]
        assert set(repo.lines("end")) == {"listens"}
        pod.signal(signal.SIGTERM)
        assert pod.process.wait(PATIENCE) == 1, "the abandoned thread does not block the exit, which tells of it"
        assert pod.events(Event.DRAIN_INCOMPLETE)[0]["left_behind"] == 1
        assert record(repo, "deaf")["outcome"] == "abandoned"
        assert due(repo, "deaf") >= seconds(repo), "no pod runs it while its thread may still run"


def test_an_abandoned_run_keeps_its_job_until_it_ends(schedule: Callable[..., Schedule]) -> None:
    """Beyond its deadline and the threshold for lost runs; then the job runs again. `why` says why it did not."""
    spec = DEAF + "cleanup: {zombies: {threshold: 0s, abandon_after: 1s}, orphans: {threshold: 2s, every: 1s}}\n"
    with schedule(handlers=HANDLERS, spec=spec) as repo:
        pods = [repo.pod(), repo.pod()]
        wait_for(lambda: "deaf" in repo.lines(), "`deaf` runs")
        wait_for(lambda: "and the run goes on" in repo.call("why", "deaf").stdout, "the job is kept")
        deadline = int(float(str(repo.ask("ZSCORE", KEYS.working, "deaf"))))
        wait_for(lambda: seconds(repo) > deadline + 6, "others would have taken the job")
        assert len(repo.lines()["deaf"]) == 1
        (repo.folder / "released").touch()
        repo.until_ran("deaf", 3)
        assert overlaps(repo.lines(), repo.lines("end"), {}) == []
        assert sum(numbers(pod).of("scheduler_abandoned") for pod in pods) == 1
        for pod in pods:
            assert pod.end() == 0


def test_a_draining_pod_hands_back_its_jobs(schedule: Callable[..., Schedule]) -> None:
    """They keep their due times, and a second pod runs them. A second signal stops the pod at once."""
    with schedule(handlers=HANDLERS, spec=HELD) as repo:
        pod = repo.pod()
        wait_for(lambda: "held" in repo.lines(), "`held` runs")
        assert pod.end() == 0
        assert repo.places("held") == ["waiting"]
        assert "end" not in {line.what for line in repo.lines().get("held", [])}
        second = repo.pod()
        wait_for(lambda: len(repo.lines()["held"]) == 2, "another pod runs `held`")
        assert repo.lines()["held"][1].worker == second.name
        second.signal(signal.SIGSTOP)
        second.signal(signal.SIGTERM)
        second.signal(signal.SIGINT)
        second.signal(signal.SIGCONT)
        assert second.process.wait(PATIENCE) in (128 + signal.SIGINT, 128 + signal.SIGTERM)


def test_a_handler_that_ignores_the_drain_is_abandoned(schedule: Callable[..., Schedule]) -> None:
    """The drain has a limit; the job is handed back, and the exit code is 1."""
    spec = STUBBORN.replace("timeout: 1s", "timeout: 1h").replace("every: 1h", "every: 1h")
    with schedule(handlers=HANDLERS, spec=spec) as repo:
        pod = repo.pod()
        wait_for(lambda: {"deaf", "hangs", "listens"} <= set(repo.lines()), "all jobs run")
        assert pod.end() == 1
        assert pod.events(Event.DRAIN_INCOMPLETE)[0]["left_behind"] == 1
        repo.assert_each_in_one_set(["deaf", "hangs", "listens"])
        assert repo.number("ZCARD", KEYS.working) == 0
        assert due(repo, "deaf") >= seconds(repo), "no pod runs it while its thread may still run"
        assert due(repo, "hangs") <= seconds(repo)
        assert (record(repo, "deaf")["outcome"], record(repo, "hangs")["outcome"]) == ("stopped", "stopped")


def test_a_run_stopped_by_a_drain_is_not_missed(schedule: Callable[..., Schedule]) -> None:
    """Another pod runs it for the same second, however late, whatever `missed` says."""
    spec = 'jobs: [{name: held, cron: "0 3 1 1 *", missed: {run: skip}, timeout: 1h}]'
    with schedule(handlers=HANDLERS, spec=spec) as repo:
        pod = repo.pod()
        wait_for(lambda: repo.places("held") == ["waiting"], "`held` is registered")
        assert repo.call("run-now", "held").returncode == 0
        wait_for(lambda: "held" in repo.lines(), "`held` runs")
        assert pod.end() == 0
        last = record(repo, "held")
        assert (last["outcome"], last["due"], last["next"]) == ("stopped", due(repo, "held"), due(repo, "held"))
        late = last["next"] - 1000
        repo.ask("HSET", KEYS.story, "held", json.dumps({**last, "next": late}))
        repo.ask("ZADD", KEYS.waiting, f"{late}.499", "held")
        pod = repo.pod()
        wait_for(lambda: len(repo.lines()["held"]) == 2, "`held` runs again")
        (repo.folder / "released").touch()
        wait_for(lambda: record(repo, "held")["outcome"] == "ok", "the end of the run is recorded")
        assert record(repo, "held")["due"] == last["due"]
        assert numbers(pod).of("scheduler_missed") == 0
        assert pod.end() == 0


def test_operators_list_and_change_jobs(schedule: Callable[..., Schedule]) -> None:
    """list, why, run-now, pause and resume, as text and as JSON."""
    with schedule(handlers=HANDLERS, spec=HELD) as repo:
        assert "no job is registered" in repo.call("list").stderr
        ran = repo.call("why", "later")
        assert (ran.returncode, ran.stdout.splitlines()[:2]) == (
            1,
            [
                "not registered by any pod",
                "a pod with its shard registers it at its next refresh; check that one runs",
            ],
        )
        pod = repo.pod()
        repo.until_ran("later")
        wait_for(lambda: "held" in repo.lines(), "`held` runs")
        ran = repo.call("why", "held")
        assert re.match(r"running on `.+`; deadline in 59m\d+s\n", ran.stdout) or "1h" in ran.stdout, ran
        assert "no run has ended yet" in ran.stdout
        assert repo.call("run-now", "held").stdout == "`held` is running; it runs again right after (`overlap: wait`)\n"
        ran = repo.call("why", "nightly")
        assert ran.stdout.startswith("waiting; due in "), ran
        assert "runs by `0 3 1 1 *` (Europe/Berlin), next in " in ran.stdout
        assert repo.call("run-now", "nightly").stdout == "`nightly` is due now\n"
        repo.until_ran("nightly")
        assert repo.call("pause", "later", "held", "missing").returncode == 1
        wait_for(lambda: repo.places("later") == ["paused"], "`later` is paused")
        assert repo.call("why", "later").stdout.startswith("paused; ")
        ran = repo.call("run-now", "later")
        assert (ran.returncode, ran.stderr) == (1, "`later` is paused; resume it first\n")
        assert repo.call("resume", "later").stdout == "`later` is resumed\n"
        (repo.folder / "released").touch()
        wait_for(lambda: repo.places("held") == ["paused"], "`held` ended and is paused")
        assert repo.call("resume", "--all").stdout == "`pause --all` was not in force\n"
        assert repo.call("pause", "--all").stdout == "all jobs are paused; running jobs finish first\n"
        assert repo.call("pause", "--all").stdout == "all jobs were already paused\n"
        assert "all jobs are paused" in repo.call("why", "nightly").stdout
        repo.ask("ZADD", KEYS.waiting, 1, "nightly", 4_000_000_000, "foreign")
        until_counted(pod, "scheduler_waiting", 3)
        measured = numbers(pod)
        assert (measured.of("scheduler_oldest_overdue_seconds"), measured.of("scheduler_ready")) == (0, 0), (
            "paused jobs are neither ready nor overdue"
        )
        assert "all jobs are paused" in repo.call("list").stderr
        assert repo.call("resume", "--all").stdout == "resumed all jobs except those paused by name\n"
        rows = [json.loads(line) for line in repo.call("list", "--json").stdout.splitlines()]
        assert {row["job"]: row["state"] for row in rows}["held"] == "paused"
        assert [row["job"] for row in rows] == ["held", "later", "nightly"]
        assert repo.call("list").stdout.splitlines()[0].split() == ["job", "state", "due", "last", "failures"]
        ran = repo.call("why", "off")
        assert ran.stdout.startswith("disabled: `patterns.disabled` (`off`) matches its name\n")
        output = json.loads(repo.call("why", "nightly", "--json").stdout)
        assert (output["job"], output["last"]["outcome"], output["all_paused"]) == ("nightly", "ok", False)
        ran = repo.call("pause")
        assert (ran.returncode, "no job is named" in ran.stderr) == (2, True)
        assert pod.end() == 0


@pytest.mark.wire
def test_why_explains_the_wait_after_failures(schedule: Callable[..., Schedule]) -> None:
    """It names their number and class."""
    spec = "jobs: [{name: forbidden, every: 1s}]\nfailures: {by_class: true}"
    with schedule(handlers=HANDLERS, spec=spec) as repo:
        pod = repo.pod()
        wait_for(lambda: record(repo, "forbidden"), "`forbidden` has failed")
        lines = repo.call("why", "forbidden").stdout.splitlines()
        assert re.fullmatch(r"backing off after 1 failure of class `forbidden`; due in \d+m(\d+s)?", lines[0])
        assert re.fullmatch(r"last run: failed, [\d.]+s ago on `.+~\w{8}`, took [\d.]+s", lines[1])
        assert pod.end() == 0
