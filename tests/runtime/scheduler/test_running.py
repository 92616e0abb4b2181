"""A pod that runs jobs: how runs end, when jobs are due again, and what people see and do."""

import json
import re
import signal
from collections.abc import Callable
from typing import Any

import pytest
from http_probes import numbers, page, until_counted
from patience import PATIENCE
from scheduler_processes import KEYS, Schedule
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
ODD = """\
jobs:
  - {name: hangs, every: 1h, timeout: 1s, error_interval: 1h}
  - {name: listens, every: 1h, timeout: 1s, handler: "handlers:plain", error_interval: 1h}
  - {name: deaf, every: 1h, timeout: 1s, handler: "handlers:plain", error_interval: 1h}
work: {concurrency: 3}
cleanup: {zombies: {threshold: 1s, abandon_after: 1s}}
shutdown: {cancel: 1s, force: 1s}
"""
HELD = """\
jobs:
  - {name: held, every: 1s, timeout: 1h}
  - {name: later, every: 1s}
  - {name: nightly, cron: "0 3 1 1 *", time_zone: Europe/Berlin}
  - {name: off, every: 1s}
patterns: {disabled: "off"}
cleanup: {orphans: {enabled: false}}  # who comes by is not removed while somebody looks
"""


def story(one: Schedule, job: str) -> dict[str, Any]:
    told = one.ask("HGET", KEYS.story, job)
    found: dict[str, Any] = json.loads(str(told)) if told else {}
    return found


def due(one: Schedule, job: str) -> int:
    return int(float(str(one.ask("ZSCORE", KEYS.waiting, job))))


def seconds(one: Schedule) -> int:
    """Redis's."""
    told = one.ask("TIME")
    assert isinstance(told, list)
    return int(str(told[0]))


@pytest.mark.wire
def test_jobs_run_again_and_again(schedule: Callable[..., Schedule]) -> None:
    """Coroutines, and plain functions in threads, with their arguments; failures wait as their class says."""
    with schedule(handlers=HANDLERS, spec=SPEC) as one:
        pod = one.pod()
        for job in ("usual", "args", "plain"):
            one.until_ran(job, 3)
        one.until_ran("fails")
        assert len(one.lines("given")["args"]) >= 3
        assert len(one.lines()["fails"]) == 3, "twice again at once, and then it was well"
        wait_for(lambda: story(one, "fails")["outcome"] == "ok", "its end is told")
        told = story(one, "fails")
        assert (told["streak"], told["next"] - told["due"] >= 3600) == (0, True)
        assert len(one.lines()["forbidden"]) == 1
        told = story(one, "forbidden")
        assert (told["class"], told["streak"]) == ("forbidden", 1)
        assert 0.9 * 1800 <= told["next"] - told["ended"] <= 1.1 * 1800 + 1, "half an hour, changed by a tenth"
        counted = numbers(pod)
        assert counted.by("scheduler_runs", "class") == {
            "-": counted.of("scheduler_runs", outcome="ok"), "transient": 2, "forbidden": 1,
        }  # fmt: skip
        assert pod.end() == 0
        one.assert_each_in_one_set(["usual", "args", "plain", "fails", "forbidden"])
        assert one.number("ZCARD", KEYS.pods) == 0


def test_metric_names_are_those_of_the_contract(schedule: Callable[..., Schedule]) -> None:
    """No more and no fewer; what has not happened is 0."""
    with schedule(spec="jobs: [{name: usual, every: 1s}]") as one:
        pod = one.pod()
        one.until_ran("usual", 2)
        until_counted(pod, "scheduler_waiting", 1)
        told = numbers(pod)
        assert {name for name in told.families if name.startswith("penstock_")} == set(METRICS)
        assert told.of("scheduler_info", role="scheduler") == 1
        assert (told.of("scheduler_registered"), told.of("scheduler_leader"), told.of("scheduler_permits")) == (
            1,
            1,
            100,
        )
        assert told.of("scheduler_acquired") == told.of("scheduler_lateness") >= 2
        assert told.of("scheduler_redis_connections") == 5
        happened = {"acquired", "runs", "redis_connects", "reconciled"}
        counters = {name for name, metric in METRICS.items() if metric.kind is MetricKind.COUNTER}
        for name in counters - {f"penstock_scheduler_{one}_total" for one in happened}:
            assert {sample.value for sample in told.families[name].samples if sample.name == name} == {0}, name
        assert page(pod, "/livez")[0] == page(pod, "/readyz")[0] == 200
        assert pod.end() == 0


def test_a_run_beyond_its_timeout_is_cancelled(schedule: Callable[..., Schedule]) -> None:
    """After its deadline and the threshold. One that ignores this is abandoned, and its permit returned."""
    with schedule(handlers=HANDLERS, spec=ODD) as one:
        pod = one.pod()
        until_counted(pod, "scheduler_zombies_cancelled", 3, by="timer")
        one.until_ran("listens")
        until_counted(pod, "scheduler_abandoned_running", 1)
        wait_for(lambda: numbers(pod).of("scheduler_permits_free") == 3, "all permits are free")
        wait_for(lambda: one.places("deaf") == ["waiting"], "its job is handed back")
        assert story(one, "deaf")["outcome"] == "abandoned"
        assert story(one, "hangs")["outcome"] == "cancelled"
        assert set(one.lines("end")) == {"listens"}
        pod.signal(signal.SIGTERM)
        assert pod.process.wait(PATIENCE) == 0, "its thread does not keep the pod"


def test_a_draining_pod_hands_back_its_jobs(schedule: Callable[..., Schedule]) -> None:
    """They are due as before, and a second pod runs them. A second signal ends the pod at once."""
    with schedule(handlers=HANDLERS, spec=HELD) as one:
        pod = one.pod()
        wait_for(lambda: "held" in one.lines(), "it runs")
        assert pod.end() == 0
        assert one.places("held") == ["waiting"]
        assert "end" not in {line.what for line in one.lines().get("held", [])}
        second = one.pod()
        wait_for(lambda: len(one.lines()["held"]) == 2, "another pod runs it")
        assert one.lines()["held"][1].worker == second.name
        second.signal(signal.SIGSTOP)
        second.signal(signal.SIGTERM)
        second.signal(signal.SIGINT)
        second.signal(signal.SIGCONT)
        assert second.process.wait(PATIENCE) in (128 + signal.SIGINT, 128 + signal.SIGTERM)


def test_a_handler_that_ignores_the_drain_is_abandoned(schedule: Callable[..., Schedule]) -> None:
    """The drain is bounded; the job is handed back, and the exit code is 1."""
    spec = ODD.replace("timeout: 1s", "timeout: 1h").replace("every: 1h", "every: 1h")
    with schedule(handlers=HANDLERS, spec=spec) as one:
        pod = one.pod()
        wait_for(lambda: {"deaf", "hangs", "listens"} <= set(one.lines()), "all run")
        assert pod.end() == 1
        assert pod.events(Event.DRAIN_INCOMPLETE)[0]["left_behind"] == 1
        one.assert_each_in_one_set(["deaf", "hangs", "listens"])
        assert one.number("ZCARD", KEYS.working) == 0
        assert due(one, "deaf") >= seconds(one), "nobody runs it while its thread may still be there"
        assert due(one, "hangs") <= seconds(one)
        assert (story(one, "deaf")["outcome"], story(one, "hangs")["outcome"]) == ("stopped", "stopped")


def test_a_run_that_a_drain_stopped_is_not_missed(schedule: Callable[..., Schedule]) -> None:
    """Another pod runs it for the same second, however late, whatever `missed` says."""
    spec = 'jobs: [{name: held, cron: "0 3 1 1 *", missed: {run: skip}, timeout: 1h}]'
    with schedule(handlers=HANDLERS, spec=spec) as one:
        pod = one.pod()
        wait_for(lambda: one.places("held") == ["waiting"], "it is registered")
        assert one.call("run-now", "held").returncode == 0
        wait_for(lambda: "held" in one.lines(), "it runs")
        assert pod.end() == 0
        told = story(one, "held")
        assert (told["outcome"], told["due"], told["next"]) == ("stopped", due(one, "held"), due(one, "held"))
        late = told["next"] - 1000
        one.ask("HSET", KEYS.story, "held", json.dumps({**told, "next": late}))
        one.ask("ZADD", KEYS.waiting, f"{late}.499", "held")
        pod = one.pod()
        wait_for(lambda: len(one.lines()["held"]) == 2, "it runs again")
        (one.folder / "released").touch()
        wait_for(lambda: story(one, "held")["outcome"] == "ok", "its end is told")
        assert story(one, "held")["due"] == told["due"]
        assert numbers(pod).of("scheduler_missed") == 0
        assert pod.end() == 0


def test_people_list_and_change_jobs(schedule: Callable[..., Schedule]) -> None:
    """list, why, run-now, pause and resume, as text and as JSON."""
    with schedule(handlers=HANDLERS, spec=HELD) as one:
        assert "no job is registered" in one.call("list").stderr
        said = one.call("why", "later")
        assert (said.returncode, said.stdout.splitlines()[:2]) == (
            1,
            [
                "not registered by any pod",
                "a pod with its shard registers it at its next refresh; check that one runs",
            ],
        )
        pod = one.pod()
        one.until_ran("later")
        wait_for(lambda: "held" in one.lines(), "it runs")
        said = one.call("why", "held")
        assert re.match(r"running on `.+`; deadline in 59m\d+s\n", said.stdout) or "1h" in said.stdout, said
        assert "not run yet" in said.stdout
        assert one.call("run-now", "held").stderr == "`held` is already running\n"
        said = one.call("why", "nightly")
        assert said.stdout.startswith("waiting; due in "), said
        assert "runs by `0 3 1 1 *` (Europe/Berlin), next in " in said.stdout
        assert one.call("run-now", "nightly").stdout == "`nightly` is due now\n"
        one.until_ran("nightly")
        assert one.call("pause", "later", "held", "nobody").returncode == 1
        wait_for(lambda: one.places("later") == ["paused"], "it is paused")
        assert one.call("why", "later").stdout.startswith("paused; ")
        said = one.call("run-now", "later")
        assert (said.returncode, said.stderr) == (1, "`later` is paused; resume it first\n")
        assert one.call("resume", "later").stdout == "`later` is resumed\n"
        (one.folder / "released").touch()
        wait_for(lambda: one.places("held") == ["paused"], "it ended, and is paused")
        assert one.call("resume", "--all").stdout == "`pause --all` was not in force\n"
        assert one.call("pause", "--all").stdout == "all jobs are paused; running jobs finish first\n"
        assert one.call("pause", "--all").stdout == "all jobs were already paused\n"
        assert "all jobs are paused" in one.call("why", "nightly").stdout
        one.ask("ZADD", KEYS.waiting, 1, "nightly", 4_000_000_000, "stranger")
        until_counted(pod, "scheduler_waiting", 3)
        told = numbers(pod)
        assert (told.of("scheduler_oldest_overdue_seconds"), told.of("scheduler_ready")) == (0, 0), (
            "they are not to run"
        )
        assert "all jobs are paused" in one.call("list").stderr
        assert one.call("resume", "--all").stdout == "resumed all jobs except those paused by name\n"
        rows = [json.loads(line) for line in one.call("list", "--json").stdout.splitlines()]
        assert {row["job"]: row["state"] for row in rows}["held"] == "paused"
        assert [row["job"] for row in rows] == ["held", "later", "nightly"]
        assert one.call("list").stdout.splitlines()[0].split() == ["job", "state", "due", "last", "failures"]
        said = one.call("why", "off")
        assert said.stdout.startswith("disabled: `patterns.disabled` (`off`) matches its name\n")
        told = json.loads(one.call("why", "nightly", "--json").stdout)
        assert (told["job"], told["last"]["outcome"], told["all_paused"]) == ("nightly", "ok", False)
        said = one.call("pause")
        assert (said.returncode, "no job is named" in said.stderr) == (2, True)
        assert pod.end() == 0


@pytest.mark.wire
def test_why_explains_the_wait_after_failures(schedule: Callable[..., Schedule]) -> None:
    """The number of failures, and their class."""
    spec = "jobs: [{name: forbidden, every: 1s}]\nfailures: {by_class: true}"
    with schedule(handlers=HANDLERS, spec=spec) as one:
        pod = one.pod()
        wait_for(lambda: story(one, "forbidden"), "it has failed")
        said = one.call("why", "forbidden").stdout.splitlines()
        assert re.fullmatch(r"backing off after 1 failure of class `forbidden`; due in \d+m(\d+s)?", said[0])
        assert re.fullmatch(r"last run: failed, [\d.]+s ago on `.+~\w{8}`, took [\d.]+s", said[1])
        assert pod.end() == 0
