"""No dead panel, no dead alert: what is generated asks a real Prometheus for what real processes tell.

What KEDA, kube-state-metrics and redis_exporter tell comes from `recorded/`, in their words: names, labels and their
order are those of KEDA 2.21's `prommetrics.go`, of kube-state-metrics' `docs/metrics` and of redis_exporter.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from datetime import date
from functools import partial
from pathlib import Path

import pytest
import yaml
from http_probes import port
from pipelines import Trial
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_servers import Page, Prometheus, Scraped, pages
from servers import lasting_port, wait_for
from targets import start

from penstock.observe.board import Board
from penstock.observe.metrics import Metrics
from penstock.producer import SendError, SyncProducer
from penstock.resolved import resolve
from penstock_spec.platform import Redis

NAMESPACE = "pipelines"
PLATFORM = f"""\
kind: platform
environments:
  live:
    namespace: {NAMESPACE}
    redis: {{addresses: ["redis:6379"], connections: 10000}}
  replicated:
    namespace: {NAMESPACE}
    redis: {{topology: sentinel, addresses: ["redis:26379"], master: redis}}
"""
"""What is live has one server; of the other only what is asked of several servers is looked at."""
TRIAL = """\
message: {schema: {type: object, required: [id]}, dedup: {by: id, window: 1h}}
send: {attempts: 5, backoff: {first: 10ms, factor: 1}}
work: {isolation: process, timeout: 2s, concurrency: 4}
retries: {attempts: 2, backoff: {first: 100ms}, classes: {never: {match: [ValueError], attempts: 1}}}
"""
SPEC = """\
kind: pipeline
name: {name}
owner: {{team: tests}}
handler: handlers:handle
image: registry.example/trial:1.0.0
work: {{timeout: 2s}}
retries: {{attempts: 2, backoff: {{first: 100ms}}}}
{more}
"""
OTHERS = {
    "kept": "stream: {retention: {keep: {age: 1h}}, backlog: {when_full: wait}}",
    "lossy": "stream: {backlog: {when_full: drop-oldest, lossy: true}}",
}
"""Together with the trial: every way to keep and every way to be full."""
AGENTS = """\
kind: scheduler
name: agents
owner: {team: tests}
handler: handlers:agent
image: registry.example/trial:1.0.0
jobs:
  - {name: goes-well, every: 1s}
  - {name: fails, every: 1s}
  - {name: hangs, every: 1s, timeout: 1s}
  - {name: sends, every: 2s, send: {pipeline: trial, message: {id: of-an-agent, how: goes well}}}
work: {concurrency: 10}
refresh: {every: 2s}
cleanup: {zombies: {threshold: 1s, every: 5s}, orphans: {every: 2s}}
"""
"""A scheduler beside them."""
HANDLERS = """\
import asyncio, os

async def agent(job, context):
    match job.name:
        case "fails": raise RuntimeError
        case "hangs": await asyncio.sleep(60)

async def handle(message):
    match message["how"]:
        case "fails": raise RuntimeError
        case "never": raise ValueError
        case "slow": await asyncio.sleep(60)
        case "crashes": os._exit(1)
"""
RECORDED = Path(__file__).parent / "recorded"
SETTLES = 60.0
"""Seconds within which all of it has something to tell; some ten are usual."""


class Scene:
    """Pipelines and a scheduler that run, and are watched."""

    def __init__(self, trial: Trial, ends: ExitStack) -> None:
        self._trial = trial
        self._began = time.time()
        found = resolve([], None, "live", trial.folder, date(2026, 1, 1)).pipelines
        self._pipelines = {one.name: one.on(trial.target.redis) for one in found}
        self._board = Board()
        self._counted = {one.name: Metrics.of_spec("producer", one.spec, self._board) for one in found}
        self._prometheus = ends.enter_context(self._watching(ends).running())

    def _watching(self, ends: ExitStack) -> Prometheus:
        pods = self._trial.folder / "pods"
        pods.mkdir()
        for name in self._pipelines:
            shutil.copy(self._trial.folder / f"generated/live/{name}/worker.json", pods / f"{name}.json")
        beside = self._trial.folder / "agents"
        (beside / "pipelines").mkdir(parents=True)
        shutil.copy(self._trial.folder / "generated/live/agents/worker.json", beside)
        shutil.copy(pods / "trial.json", beside / "pipelines")
        options = ("--redis", self._trial.target.url, "--listen", "127.0.0.1:0")
        running = {name: self._trial.start("worker", f"pods/{name}.json", *options) for name in self._pipelines}
        running["agents"] = self._trial.start("scheduler", "run", "agents/worker.json", *options)
        running["penstock-janitor"] = self._trial.start("janitor", "pods", *options)
        address = ends.enter_context(pages(self._pages()))
        return Prometheus(
            [
                *(Scraped(f"127.0.0.1:{port(one)}", monitored(name)) for name, one in running.items()),
                Scraped(address, monitored("shop"), "/shop"),
                Scraped(address, {"job": "redis_exporter", "namespace": NAMESPACE}, "/redis_exporter"),
                # As kube-prometheus scrapes the one, with its own labels kept, and KEDA's chart the other.
                Scraped(address, {"job": "kube-state-metrics", "namespace": "kube"}, "/kube-state-metrics", honor=True),
                Scraped(address, {"job": "keda-operator", "namespace": "keda"}, "/keda"),
            ],
            sorted((self._trial.folder / "generated/live").glob("*/rules.yaml")),
        )

    def _pages(self) -> Iterator[tuple[str, Page]]:
        registry = CollectorRegistry()
        self._board.show_on(registry)
        yield "/shop", partial(generate_latest, registry)
        for file in RECORDED.glob("*.prom"):
            yield f"/{file.stem}", partial(str.encode, "".join(self._told(file)))

    def _told(self, file: Path) -> Iterator[str]:
        """A line about a spec is told of each."""
        for line in file.read_text().splitlines(keepends=True):
            yield from (
                line.replace("PIPELINE", name)
                for name in ((*self._pipelines, "agents") if "PIPELINE" in line else ("",))
            )

    def is_watched(self) -> bool:
        """Whether everybody was scraped twice, so that what is counted from here on is seen to grow."""
        told = self._prometheus.query("query", query="sum_over_time(up[1h]) > 1")
        return len(told["result"]) == len(self._prometheus.scraped)

    def send(self) -> None:
        """To each pipeline what goes well and what does not; and to a Redis that is not there."""
        for name, one in self._pipelines.items():
            hows = ["goes well"] * 5 + ["fails", "never", "slow"] + ["crashes"] * (name == "trial")
            with SyncProducer(one, metrics=self._counted[name]) as producer:
                for number, how in enumerate(hows):
                    producer.send({"id": str(number), "how": how})
                producer.send({"id": "later", "how": "goes well"}, delay="1s")
        nowhere = self._pipelines["trial"].on(Redis(addresses=[f"127.0.0.1:{lasting_port()}"]))
        for _ in range(3):  # of five attempts each
            with SyncProducer(nowhere, metrics=self._counted["trial"]) as producer, pytest.raises(SendError):
                producer.send({"id": "lost", "how": "goes well"})

    def has_number(self, query: str) -> bool:
        """Whether there has been an answer since it all began."""
        return self._prometheus.has_number(query, self._began, time.time())

    def never_told(self, queries: Iterable[str]) -> set[str]:
        """Those to which no answer came in all the time that they had."""
        left = set(queries)

        def all_are_told() -> bool:
            left.difference_update([one for one in left if self.has_number(one)])
            return not left

        with suppress(AssertionError):  # the caller says more than that it took too long
            wait_for(all_are_told, "every query is answered", SETTLES)
        return left


def monitored(name: str) -> dict[str, str]:
    """What the operator adds, by a PodMonitor of this name."""
    return {
        "namespace": NAMESPACE,
        "job": f"{NAMESPACE}/{name}",
        "pod": f"{name}-7d9c5b6f4-x2x7k",
        "container": "worker",
        "endpoint": "http",
    }


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with ExitStack() as ends:
        target = ends.enter_context(start("plain"))
        trial = ends.enter_context(Trial(tmp_path, target, handlers=HANDLERS, spec=TRIAL))
        for name, more in OTHERS.items():
            (tmp_path / f"specs/{name}.yaml").write_text(SPEC.format(name=name, more=more))
        (tmp_path / "specs/agents.yaml").write_text(AGENTS)
        (tmp_path / "penstock.yaml").write_text(PLATFORM)
        generating = trial.start("generate")
        assert generating.process.wait(SETTLES) == 0, generating.log()
        yield Scene(trial, ends)


def asked_by_dashboards(folder: Path) -> Iterator[tuple[str, str]]:
    """Who asks, and what, as Grafana does where nothing is chosen."""
    for file in [*sorted(folder.glob("*/dashboard.json")), folder / "_environment/overview.json"]:
        data = json.loads(file.read_text())
        for panel in data["panels"]:
            yield from ((panel["title"], chosen(target["expr"])) for target in panel.get("targets", ()))
        for mark in data["annotations"].get("list", ()):
            yield mark["name"], chosen(compared(mark["expr"]))
        for variable in data["templating"]["list"]:
            if variable["type"] == "query":
                yield variable["name"], chosen(matching(r"label_values\((.*), \w+\)", variable["query"]))


def asked_by_rules(file: Path) -> Iterator[tuple[str, str]]:
    """Each alert, and what it compares; each rule that records, and what it records."""
    for rule in (rule for group in yaml.safe_load(file.read_text())["groups"] for rule in group["rules"]):
        if "alert" in rule:
            yield rule["alert"], or_else_nothing(compared(rule["expr"]))
        else:
            labels = ",".join(f'{name}="{value}"' for name, value in rule["labels"].items())
            yield rule["record"], f"{rule['record']}{{{labels}}}"


def chosen(query: str) -> str:
    filled = re.sub(r"\$(job|instance|pipeline|scheduler)\b", ".+", query.replace("$__rate_interval", "10s"))
    assert not re.search(r"\$[a-z_]", filled), f"a variable is left: {filled}"
    return or_else_nothing(filled)


def compared(expression: str) -> str:
    return matching(r"(.*) (?:>|>=|<) \S+", expression)


def or_else_nothing(query: str) -> str:
    """Where a query makes something of nothing, the series that it looks for: what is always there proves nothing."""
    absent = re.fullmatch(r"absent\((.*)\)", query)
    return absent[1] if absent else query.replace(" or vector(0)", "")


def matching(pattern: str, text: str) -> str:
    match = re.fullmatch(pattern, text)
    assert match, text
    return match[1]


def everyone(environment: Path, rules: Iterable[Path]) -> list[tuple[str, str]]:
    """All that asks in what is generated for an environment, and in these rules."""
    return [*asked_by_dashboards(environment), *(one for file in rules for one in asked_by_rules(file))]


@pytest.mark.needs("prometheus")
def test_whatever_is_asked_is_told(scene: Scene, tmp_path: Path, root: Path) -> None:
    """Each query of a dashboard, what each alert compares, and each rule that records has a number."""
    live, replicated = (tmp_path / "generated" / name for name in ("live", "replicated"))
    asking = everyone(live, [*live.glob("*/rules.yaml"), replicated / "_environment/rules.yaml"])
    for committed in (file.parents[1] for file in (root / "generated").glob("*/_environment/rules.yaml")):
        # Whatever there is for the specs of this repository is looked at here.
        assert {who for who, _ in everyone(committed, committed.glob("*/rules.yaml"))} <= {who for who, _ in asking}
    asked = {query: who for who, query in asking}
    wait_for(scene.is_watched, "everybody is scraped", SETTLES)
    resting = [query for query in asked if " unless " in query]
    wait_for(lambda: all(map(scene.has_number, resting)), "what is told while nothing is done, is told", SETTLES)
    scene.send()
    never = scene.never_told(asked)
    assert not never, "\n".join(sorted(f"{asked[query]}: {query}" for query in never))
    assert not scene.has_number("penstock_no_such_thing")
