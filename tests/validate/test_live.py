"""No panel or alert is dead: every generated query gets data from a real Prometheus that scrapes real processes.

The metrics of KEDA, kube-state-metrics and redis_exporter come from `recorded/`: names, labels and order are those
of KEDA 2.21's `prommetrics.go`, of kube-state-metrics' `docs/metrics` and of redis_exporter.
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
from patience import PATIENCE
from pipelines import Process, Trial
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_servers import Page, Prometheus, Scraped, pages
from servers import lasting_port, wait_for
from targets import start

from penstock.observe.collector import Collector
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
"""The live environment has one server; the other one only adds alerts on several servers."""
TRIAL = """\
message: {schema: {type: object, required: [id]}, dedup: {by: id, window: 1h}}
send: {attempts: 5, backoff: {first: 10ms, factor: 1}}
work: {isolation: process, timeout: 2s, concurrency: 4, max_pending_per_worker: 64}
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
"""Together with the trial: every retention and every `when_full`."""
AGENTS = """\
kind: scheduler
name: agents
owner: {team: tests}
handler: handlers:agent
image: registry.example/trial:1.0.0
jobs:
  - {name: succeeds, every: 1s}
  - {name: fails, every: 1s}
  - {name: hangs, every: 1s, timeout: 1s}
  - {name: sends, every: 2s, send: {pipeline: trial, message: {id: of-an-agent, how: succeeds}}}
work: {concurrency: 10}
failures: {pause_after: 1000}
refresh: {every: 2s}
cleanup: {zombies: {threshold: 1s, every: 5s}, orphans: {every: 2s}}
"""
"""A scheduler next to the pipelines."""
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


class Scene:
    """Running pipelines and a scheduler, and a Prometheus that scrapes them."""

    def __init__(self, trial: Trial, ends: ExitStack) -> None:
        self._trial = trial
        self._began = time.time()
        resolved = resolve([], None, "live", trial.folder, date(2026, 1, 1)).pipelines
        self._pipelines = {one.name: one.on(trial.target.redis) for one in resolved}
        self._collector = Collector()
        self._counted = {one.name: Metrics.of_spec("producer", one.spec, self._collector) for one in resolved}
        self._agents_port = lasting_port()
        self._prometheus = ends.enter_context(self._start_prometheus(ends).running())

    def _start_prometheus(self, ends: ExitStack) -> Prometheus:
        pods = self._trial.folder / "pods"
        pods.mkdir()
        for name in self._pipelines:
            shutil.copy(self._trial.folder / f"generated/live/{name}/worker.json", pods / f"{name}.json")
        scheduler_folder = self._trial.folder / "agents"
        (scheduler_folder / "pipelines").mkdir(parents=True)
        shutil.copy(self._trial.folder / "generated/live/agents/worker.json", scheduler_folder)
        shutil.copy(pods / "trial.json", scheduler_folder / "pipelines")
        running = {name: self._start(0, "worker", f"pods/{name}.json") for name in self._pipelines}
        running["penstock-janitor"] = self._start(0, "janitor", "pods")
        ports = {name: port(process) for name, process in running.items()} | {"agents": self._agents_port}
        address = ends.enter_context(pages(self._pages()))
        return Prometheus(
            [
                *(Scraped(f"127.0.0.1:{number}", monitored(name)) for name, number in ports.items()),
                Scraped(address, monitored("shop"), "/shop"),
                Scraped(address, {"job": "redis_exporter", "namespace": NAMESPACE}, "/redis_exporter"),
                # As kube-prometheus scrapes the one, with its own labels kept, and KEDA's chart the other.
                Scraped(address, {"job": "kube-state-metrics", "namespace": "kube"}, "/kube-state-metrics", honor=True),
                Scraped(address, {"job": "keda-operator", "namespace": "keda"}, "/keda"),
            ],
            sorted((self._trial.folder / "generated/live").glob("*/rules.yaml")),
        )

    def start_scheduler(self) -> None:
        """Start the scheduler, which sends to a pipeline every two seconds."""
        self._start(self._agents_port, "scheduler", "run", "agents/worker.json")

    def _start(self, listen: int, *command: str) -> Process:
        return self._trial.start(*command, "--redis", self._trial.target.url, "--listen", f"127.0.0.1:{listen}")

    def _pages(self) -> Iterator[tuple[str, Page]]:
        registry = CollectorRegistry()
        self._collector.register_with(registry)
        yield "/shop", partial(generate_latest, registry)
        for file in RECORDED.glob("*.prom"):
            yield f"/{file.stem}", partial(str.encode, "".join(self._lines(file)))

    def _lines(self, file: Path) -> Iterator[str]:
        """A line with a placeholder is repeated for each spec."""
        for line in file.read_text().splitlines(keepends=True):
            yield from (
                line.replace("PIPELINE", name)
                for name in ((*self._pipelines, "agents") if "PIPELINE" in line else ("",))
            )

    def is_scraped(self) -> bool:
        """Whether every target was scraped twice, so that Prometheus sees counters grow from here on."""
        up = self._prometheus.query("query", query="sum_over_time(up[1h]) > 1")
        return len(up["result"]) == len(self._prometheus.scraped)

    def send(self) -> None:
        """Send succeeding and failing messages to each pipeline, and to an unreachable Redis."""
        for name, one in self._pipelines.items():
            hows = ["succeeds"] * 5 + ["fails", "never", "slow"] + ["crashes"] * (name == "trial")
            with SyncProducer(one, metrics=self._counted[name]) as producer:
                for number, how in enumerate(hows):
                    producer.send({"id": str(number), "how": how})
                producer.send({"id": "later", "how": "succeeds"}, delay="1s")
        nowhere = self._pipelines["trial"].on(Redis(addresses=[f"127.0.0.1:{lasting_port()}"]))
        for _ in range(3):  # of five attempts each
            with SyncProducer(nowhere, metrics=self._counted["trial"]) as producer, pytest.raises(SendError):
                producer.send({"id": "lost", "how": "succeeds"})

    def has_result(self, query: str) -> bool:
        """Whether the query has had a result since the start."""
        return self._prometheus.has_number(query, self._began, time.time())

    def without_result(self, queries: Iterable[str]) -> set[str]:
        """The queries without a result within the time limit."""
        left = set(queries)

        def all_have_results() -> bool:
            left.difference_update([one for one in left if self.has_result(one)])
            return not left

        with suppress(AssertionError):  # the caller names the queries
            wait_for(all_have_results, "every query has a result", PATIENCE)
        return left


def monitored(name: str) -> dict[str, str]:
    """The labels that the operator adds for a PodMonitor of this name."""
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
        assert generating.process.wait(PATIENCE) == 0, generating.log()
        yield Scene(trial, ends)


def queries_of_dashboards(folder: Path) -> Iterator[tuple[str, str]]:
    """Panels, marks and variables with their queries, as Grafana sends them if nothing is selected."""
    for file in [*sorted(folder.glob("*/dashboard.json")), folder / "_environment/overview.json"]:
        data = json.loads(file.read_text())
        for panel in data["panels"]:
            yield from ((panel["title"], chosen(target["expr"])) for target in panel.get("targets", ()))
        for mark in data["annotations"].get("list", ()):
            yield mark["name"], chosen(compared(mark["expr"]))
        for variable in data["templating"]["list"]:
            if variable["type"] == "query":
                yield variable["name"], chosen(matching(r"label_values\((.*), \w+\)", variable["query"]))


def queries_of_rules(file: Path) -> Iterator[tuple[str, str]]:
    """Each alert with its query, and each recording rule with its series."""
    for rule in (rule for group in yaml.safe_load(file.read_text())["groups"] for rule in group["rules"]):
        if "alert" in rule:
            yield rule["alert"], without_fallback(compared(rule["expr"]))
        else:
            labels = ",".join(f'{name}="{value}"' for name, value in rule["labels"].items())
            yield rule["record"], f"{rule['record']}{{{labels}}}"


def chosen(query: str) -> str:
    filled = re.sub(r"\$(job|instance|pipeline|scheduler)\b", ".+", query.replace("$__rate_interval", "10s"))
    assert not re.search(r"\$[a-z_]", filled), f"a variable remains: {filled}"
    return without_fallback(filled)


def compared(expression: str) -> str:
    return matching(r"(.*) (?:>|>=|<) \S+", expression)


def without_fallback(query: str) -> str:
    """The query without its result for missing series: a result that always exists proves nothing."""
    absent = re.fullmatch(r"absent\((.*)\)", query)
    return absent[1] if absent else query.replace(" or vector(0)", "")


def matching(pattern: str, text: str) -> str:
    match = re.fullmatch(pattern, text)
    assert match, text
    return match[1]


def all_queries(environment: Path, rules: Iterable[Path]) -> list[tuple[str, str]]:
    """All queries of an environment's dashboards and of these rules."""
    return [*queries_of_dashboards(environment), *(one for file in rules for one in queries_of_rules(file))]


@pytest.mark.needs("prometheus")
def test_every_generated_query_has_a_result(scene: Scene, tmp_path: Path, root: Path) -> None:
    """Each query of a dashboard and of an alert, and each recorded series."""
    live, replicated = (tmp_path / "generated" / name for name in ("live", "replicated"))
    queries = all_queries(live, [*live.glob("*/rules.yaml"), replicated / "_environment/rules.yaml"])
    for committed in (file.parents[1] for file in (root / "generated").glob("*/_environment/rules.yaml")):
        # Every query for the specs of this repository is tested here.
        assert {name for name, _ in all_queries(committed, committed.glob("*/rules.yaml"))} <= {
            name for name, _ in queries
        }
    panel_of = {query: name for name, query in queries}
    idle_queries = [query for query in panel_of if " unless " in query]
    wait_for(lambda: all(map(scene.has_result, idle_queries)), "queries about idle workers have a result", PATIENCE)
    scene.start_scheduler()
    wait_for(scene.is_scraped, "every target is scraped", PATIENCE)
    scene.send()
    missing = scene.without_result(panel_of)
    assert not missing, "\n".join(sorted(f"{panel_of[query]}: {query}" for query in missing))
    assert not scene.has_result("penstock_no_such_thing")
