"""A worker exports exactly the metrics of the contract, with exact counts."""

from collections.abc import Callable

import pytest
from consumer_leases import take_over
from entries import add
from http_probes import Numbers, numbers, until_counted
from ledger import by_message, read
from pipelines import KEY, Trial
from servers import wait_for

from penstock_spec.kinds.pipeline.metrics import METRICS
from penstock_spec.metrics import MetricKind

HANDLERS = """\
import asyncio, pathlib
import ledger
import penstock

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    match message["id"]:
        case "held" | "stolen" | "again":
            while not pathlib.Path("released").exists():
                await asyncio.sleep(0.02)
        case "busy" if context.attempt < 3:
            raise ConnectionError
        case "odd" if context.attempt == 1:
            raise RuntimeError
        case "bad":
            raise ValueError
        case "bury":
            raise penstock.Bury
    ledger.note("end", message["id"], context.fence)
"""
SPEC = """\
work: {concurrency: 6, lease: 10s, block: 1s}
retries:
  attempts: 3
  backoff: {first: 100ms}
  classes: {busy: {match: [ConnectionError]}, never: {match: [ValueError], attempts: 1}}
"""
GAUGES = frozenset({"penstock_info", "penstock_slots", "penstock_slots_free", "penstock_redis_connections"})
"""Gauges that are not 0 when nothing runs; the loop's lag has any value."""


def counted(counts: Numbers) -> dict[str, dict[tuple[str, ...], float]]:
    """All counters that are not 0, by the values of their labels."""
    counters: dict[str, dict[tuple[str, ...], float]] = {}
    for metric in METRICS.values():
        if metric.kind is MetricKind.COUNTER and "worker" in metric.roles:
            for sample in counts.families[metric.name].samples:
                if sample.name == metric.name and sample.value:
                    values = tuple(sample.labels[label.name] for label in metric.labels[1:])
                    counters.setdefault(metric.name.removeprefix("penstock_"), {})[values] = sample.value
    return counters


def test_metric_names_are_those_of_the_contract(make_trial: Callable[..., Trial]) -> None:
    """No metric is missing or additional, even right after the start."""
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        worker = trial.worker().ready()
        until_counted(worker, "redis_connections", 3)
        until_counted(worker, "redis_connects", 3)
        counts = numbers(worker)
        ours = {name for name in counts.families if name.startswith("penstock_")}
        assert ours == {name for name, metric in METRICS.items() if "worker" in metric.roles}
        assert counted(counts) == {"redis_connects_total": {(): 3}}
        assert (counts.of("slots"), counts.of("slots_free"), counts.of("info", role="worker")) == (6, 6, 1)
        for name, metric in METRICS.items():
            if metric.kind is MetricKind.GAUGE and name in ours - GAUGES - {"penstock_loop_lag_seconds"}:
                assert {sample.value for sample in counts.families[name].samples} == {0}, name
        assert counts.of("redis") > 0
        assert counts.of("handling") == counts.of("settle") == counts.of("waiting") == 0
        assert worker.end() == 0


@pytest.mark.wire
def test_everything_that_happened_is_counted(make_trial: Callable[..., Trial]) -> None:
    """Messages done, retried, dead, given back, fenced and delivered count once each, by cause."""
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        lost = trial.worker().ready()
        [gone] = trial.live_consumers()
        trial.send([{"id": "held"}])
        wait_for(lambda: read(trial.ledger), "the message runs")
        lost.kill()

        worker = trial.worker().ready()
        [consumer] = set(trial.live_consumers()) - {gone}
        ids = {name: add(trial, ["data", f'{{"id": "{name}"}}']) for name in ("stolen", "again", "busy", "odd")}
        add(trial, ["data", "nothing"])
        trial.send({"id": name} for name in ("bad", "bury", "plain"))
        wait_for(lambda: {"stolen", "again"} <= set(by_message(read(trial.ledger), "start")), "all have started")
        trial.ask("XCLAIM", KEY, "trial", "a thief", 0, ids["stolen"])
        trial.ask("XCLAIM", KEY, "trial", consumer, 0, ids["again"])
        until_counted(worker, "redelivered", 1)
        take_over(trial, gone)
        until_counted(worker, "delivered", 2, source="suspect")
        (trial.folder / "released").touch()
        wait_for(lambda: trial.left() == 1, "all messages but the stolen one are done or dead")
        until_counted(worker, "running", 0)
        until_counted(worker, "done", 5)
        until_counted(worker, "fenced", 1)
        until_counted(worker, "dead", 3)
        counts = numbers(worker)

        happened = counted(counts)
        happened.pop("redis_connects_total")
        happened.pop("children_started_total")
        happened.pop("taken_over_total", None)  # if its own takeover was first
        assert happened == {
            "delivered_total": {("new",): 8, ("ready",): 3, ("suspect",): 2},
            "redelivered_total": {(): 1},
            "done_total": {(): 5},
            "retried_total": {("busy",): 2, ("-",): 1},
            "dead_total": {("failed",): 1, ("refused",): 1, ("unreadable",): 1},
            "given_back_total": {("found",): 1},
            "fenced_total": {("settle",): 1},
            "promoted_total": {("parked",): 3},
        }
        assert counts.by("handling", "outcome") == {"done": 6, "failed": 6}
        assert counts.of("waiting") == 8
        assert counts.of("settle") > 0
        assert worker.end() == 0
