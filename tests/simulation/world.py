"""A world with one pipeline: workers, janitors, a sender and one Redis."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from penstock.janitor import janitor
from penstock.maintenance import takeover
from penstock.observe import metrics
from penstock.observe.collector import Collector
from penstock.resolved import ResolvedPipeline
from penstock.worker import audit, worker
from penstock_spec.failures.classes import NO_CLASS
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.metrics import Role
from penstock_spec.platform import Environment
from penstock_spec.platform import Redis as Where

from .fault_effects import FaultEffects
from .faults import Faults
from .final_checks import FinalChecks
from .network import Network
from .plan import LONG, Fault, Plan, Setup
from .processes import JanitorProcess, Process, ProcessContext, SenderProcess, WorkerProcess
from .records import Violation
from .reply_cache import ReplyCache
from .server import Redis, time_of
from .server_client import ServerClient
from .store import Store, Texts
from .truth import Truth
from .universe import START, NoProgressError, Universe, seeded_random

NAME = "trial"


@dataclass(frozen=True, slots=True)
class ScheduleResult:
    """The result of a schedule."""

    plan: Plan
    violations: tuple[Violation, ...]
    happened: tuple[Fault, ...]
    trace: tuple[str, ...]
    seconds: float
    """Virtual seconds."""
    commands: int

    @property
    def kinds(self) -> set[str]:
        return {one.kind for one in self.violations}


class World:
    """Runs one schedule from start to end."""

    def __init__(self, store: Store, plan: Plan, texts: Texts, *, traced: bool, cached: bool) -> None:
        setup = plan.setup
        self.plan = plan
        self.setup = setup
        self.store = store
        self.trace: list[str] = []
        self._traced = traced
        self.universe = Universe(seeded_random(f"{plan.seed}/order"))
        self.pipeline = pipeline(setup)
        self.keys = self.pipeline.keys
        self.truth = Truth(setup, self.log, self.universe.clock)
        self.truth.is_healthy = self._is_healthy
        self.truth.had_trouble_since = self._had_trouble_since
        self.truth.is_draining = self._is_draining
        self.truth.blocked_until = self._blocked_until
        client = ServerClient(store, lambda: time_of(self.universe), self.keys, self.truth, ReplyCache(off=not cached))
        self.redis = Redis(self.universe, client)
        self.network = Network(self.universe, self.redis, texts, setup.network, self.log)
        self.network.has_huge = any(one.kind == "huge" for one in setup.messages)
        self.redis.answered = self.network.answered
        client.begin(texts, loaded=setup.scripts_loaded, earlier_entries=setup.earlier_entries)
        self.processes: dict[str, Process] = {}
        self._all_processes: list[Process] = []
        self._spawned = 0
        self._janitor_starts = 0
        self._context = ProcessContext(
            seed=plan.seed,
            universe=self.universe,
            network=self.network,
            truth=self.truth,
            pipeline=self.pipeline,
            patience=setup.patience,
            style=setup.style,
            memory=setup.memory,
            log=self.log,
            ended=self._ended,
            redis_unavailable_until=lambda: self.redis.unavailable_until,
        )
        effects = FaultEffects(self.universe, self.redis, self.network, self.truth, self.keys, self)
        self.faults = Faults(plan.faults, self.universe, effects, self, self.log)
        self.network.fate = self.faults.fate
        self.network.passes = self.faults.passes
        self.respawns = True

    def log(self, line: str) -> None:
        """Add a line to the trace."""
        if self._traced:
            self.trace.append(f"{self.universe.now - START:9.4f} {line}")

    def run(self) -> ScheduleResult:
        """Run the schedule."""
        executed = self.store.executed
        setup = self.setup
        with self._traced_logs(), _tuned(setup.page):
            for _ in range(setup.workers):
                self.spawn()
            for number in range(setup.janitors):
                self._begin(f"J{number + 1}")
            self._sender = SenderProcess(setup.messages, dedup=setup.dedup, context=self._context)
            self._add("sender", self._sender)
            try:
                self.universe.run(START + setup.horizon, self._is_over)
                self.faults.stop()
                self.log("=== no more faults")
                if not self.universe.has_stopped:
                    FinalChecks(self, self._sender).run()
            except NoProgressError as error:
                self.truth.violate("no-progress", str(error))
            finally:
                seconds = self.universe.now - START
                self._traced = False
                self.universe.end()
        for process in self._all_processes:
            for one in process.complaints():
                self.truth.violate("uncaught", f"{process.name}: {one}")
        return ScheduleResult(
            self.plan,
            tuple(self.truth.violations),
            tuple(self.faults.happened),
            tuple(self.trace),
            seconds,
            self.store.executed - executed,
        )

    # -- processes --------------------------------------------------------------------------------------------------

    def _add(self, name: str, process: Process) -> None:
        self.processes[name] = process
        self._all_processes.append(process)

    def workers(self) -> list[WorkerProcess]:
        """The workers that are alive."""
        return [one for one in self.processes.values() if isinstance(one, WorkerProcess) and not one.is_dead]

    def spawn(self) -> None:
        self._spawned += 1
        name = f"W{self._spawned}"
        self.log(f"{name} starts")
        self._add(name, WorkerProcess(name, self._context))

    def _begin(self, janitor: str) -> None:
        """Start or restart a janitor."""
        present = self.processes.get(janitor)
        if present is None or present.is_dead:
            self._janitor_starts += 1
            self._add(janitor, JanitorProcess(f"{janitor}.{self._janitor_starts}", self._context))

    def restart(self, janitor: JanitorProcess) -> None:
        janitor.crash()
        self._begin(janitor.name.partition(".")[0])

    def _ended(self, process: Process) -> None:
        if isinstance(process, WorkerProcess) and self.respawns:
            self.universe.after(self.setup.respawn, self._replace)
        elif isinstance(process, JanitorProcess):
            self.universe.after(self.setup.respawn, self._begin, process.name.partition(".")[0])

    def _replace(self) -> None:
        if self.respawns and not self.truth.is_hopeless and len(self.workers()) < self.setup.workers:
            self.spawn()

    def _is_over(self) -> bool:
        """Whether no fault is left, and no message to which one could matter."""
        return self.faults.are_over and self.is_finished()

    def is_finished(self) -> bool:
        """Whether all messages were sent and have ended."""
        return self._sender.is_dead and self.truth.has_ended and not self.network.in_transit["send"]

    def _is_draining(self, name: str) -> bool:
        process = self.processes.get(name)
        return isinstance(process, WorkerProcess) and process.is_draining

    def _had_trouble_since(self, name: str, since: float) -> bool:
        process = self.processes[name]
        times = (process.trouble_until, process.unavailable_until, self.redis.unavailable_until, *process.hits)
        return any(one > since for one in times)

    def _blocked_until(self, name: str) -> float:
        return self.processes[name].unavailable_until

    def _is_healthy(self, consumer: str) -> bool:
        """Whether no fault has separated the worker of this consumer from Redis since its last renewal."""
        process = self.processes.get(self.truth.process_of.get(consumer, ""))
        return (
            isinstance(process, WorkerProcess)
            and not process.is_dead
            and process.drains_since is None
            and self.truth.consumers.get(process.name) == consumer
            and process.trouble_until < self.truth.renewed[consumer]
            and not self.truth.tainted
        )

    @contextmanager
    def _traced_logs(self) -> Iterator[None]:
        """Add log lines of the runtime to a trace; without a trace they are off."""
        logger = logging.getLogger("penstock")
        level, propagate = logger.level, logger.propagate
        logger.setLevel(logging.INFO if self._traced else logging.CRITICAL + 1)
        logger.propagate = False
        handler = _TraceHandler(self)
        logger.addHandler(handler)
        try:
            yield
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)
            logger.propagate = propagate


class _TraceHandler(logging.Handler):
    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world

    def emit(self, record: logging.LogRecord) -> None:
        fields: Mapping[str, object] = getattr(record, "penstock_fields", {})
        shown = " ".join(f"{name}={value}" for name, value in fields.items())
        self._world.log(f"    log: {record.getMessage()} {shown}".rstrip())


TEXTS = Texts()
"""The unchanged scripts."""


def run(store: Store, plan: Plan, *, texts: Texts = TEXTS, traced: bool = False, cached: bool = True) -> ScheduleResult:
    """Run a schedule."""
    return World(store, plan, texts, traced=traced, cached=cached).run()


def finds(store: Store, plan: Plan, kind: str, texts: Texts) -> bool:
    """Run a schedule until it has a violation of this kind; return whether it has one."""
    world = World(store, plan, texts, traced=False, cached=True)

    def stop(violated: str) -> None:
        world.universe.has_stopped = world.universe.has_stopped or violated == kind

    world.truth.has_violation = stop
    return kind in world.run().kinds


_CREATED: dict[tuple[str, int], metrics.Metrics] = {}


def _metrics_of(role: Role, spec: Pipeline, collector: Collector) -> metrics.Metrics:
    """The metrics of a role, which nothing reads; `_spec` keeps the spec, and so its identity."""
    present = _CREATED.get((role, id(spec)))
    if present is None:
        given = {"class": [*spec.retries.classes, NO_CLASS], "group": [spec.stream.group]}
        present = metrics.Metrics.of(role, pipeline=spec.name, collector=collector, given=given)
        _CREATED[role, id(spec)] = present
    return present


def _nothing(*_: object) -> None:
    """Check nothing."""


@contextmanager
def _tuned(size: int) -> Iterator[None]:
    """Use small pages, so that few entries fill several; and no gauges or measurements, which change nothing."""
    tuned: list[tuple[Any, str, object]] = [(module, "PAGE", min(size, module.PAGE)) for module in (takeover, audit)]
    tuned += [(worker, "GAUGES_EVERY", 3600), (janitor, "MEASURE_EVERY", 3600)]
    tuned += [(metrics, "_check", _nothing)]  # other tests check the contract of metrics, which takes long
    tuned += [(metrics.Metrics, "of_spec", _metrics_of)]  # creating them takes longer than many a schedule
    usual = [(module, name, vars(module)[name]) for module, name, _ in tuned]
    try:
        for module, name, value in tuned:
            setattr(module, name, value)
        yield
    finally:
        for module, name, value in usual:
            setattr(module, name, value)


@cache
def _spec(settings: tuple[tuple[str, Any], ...]) -> ResolvedPipeline:
    values = dict(settings)
    data: dict[str, Any] = {
        "kind": "pipeline",
        "name": NAME,
        "owner": {"team": "tests", "contact": "#tests"},
        "handler": "simulation:handle",
        "image": "registry.example/trial:1.0.0",
        "stream": {"key": NAME, "group": NAME, "consumer": "{hostname}"},
        "work": {
            "concurrency": values["concurrency"],
            "max_pending_per_worker": values["max_pending"],
            "lease": f"{values['lease']:g}s",
            "timeout": f"{values['timeout']:g}s",
            "block": "5s",
            "isolation": values["isolation"],
            "when_lost": values["when_lost"],
        },
        "retries": {
            "attempts": values["attempts"],
            "backoff": {"first": f"{int(values['backoff'] * 1000)}ms", "factor": 1, "jitter": 0},
        },
        "shutdown": {"grace": f"{values['grace']:g}s", "margin": f"{values['margin']:g}s"},
    }
    if values["history"]:
        data["stream"]["retention"] = {"keep": {"length": values["keep"]}}
        if values["keep"] < LONG:
            data["janitor"] = {"trim": {"every": "1s"}}
    if values["dedup"]:
        data["message"] = {"dedup": {"by": "id", "window": "1h"}}
    redis = Where(addresses=["127.0.0.1:6379"])
    return ResolvedPipeline(
        Pipeline.model_validate(data), "dev", Environment(namespace="tests", redis=redis), Path("trial.yaml")
    )


def pipeline(setup: Setup) -> ResolvedPipeline:
    """The pipeline of a setup."""
    names = (
        "concurrency",
        "max_pending",
        "lease",
        "timeout",
        "isolation",
        "when_lost",
        "attempts",
        "backoff",
        "grace",
        "margin",
        "dedup",
        "history",
        "keep",
    )
    return _spec(tuple((name, getattr(setup, name)) for name in names))
