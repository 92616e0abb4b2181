"""Runs a pipeline as its pods would, from the file that the generator writes for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import SystemRandom

from penstock.maintenance.measure import Measurement, measure
from penstock.maintenance.replies import items, mapping, number, text
from penstock.observe.events import Event
from penstock.operating.status import Status
from penstock.operating.throughput import Counts, counts, done_per_second
from penstock.producer.outcomes import Duplicate, Sent
from penstock.producer.producer import Producer
from penstock.resolved import ResolvedPipeline
from penstock.wire.credentials import Credentials
from penstock.wire.errors import Refused
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_dev.running.triggers import read_triggers
from penstock_dev.running.workload import Measurements
from penstock_dev.sample import sample
from penstock_scaling import Readings, settings_of
from penstock_scaling.settings import Settings
from penstock_spec import worker_file
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.scaler.effective import scaler_manifest
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Redis
from penstock_spec.values.display import many

BATCH = 500
STATES = ("new", "running", "ready", "suspect", "parked", "delayed")


@dataclass(slots=True)
class PipelineWorkload:
    """One pipeline in its environment."""

    resolved: ResolvedPipeline
    _before: Counts | None = field(default=None, init=False)
    _large: bytes = field(default=b"", init=False)

    @property
    def name(self) -> str:
        return self.resolved.name

    @property
    def kind(self) -> str:
        return "pipeline"

    @property
    def environment(self) -> str:
        return self.resolved.environment

    @property
    def spec(self) -> Pipeline:
        return self.resolved.spec

    @property
    def replica_bounds(self) -> tuple[int, int]:
        bounds = self.spec.scaling.replicas
        return bounds.min, bounds.max

    @property
    def grace(self) -> float:
        return self.spec.shutdown.grace.seconds

    @property
    def ready(self) -> frozenset[Event]:
        return frozenset({Event.CONSUMER_JOINED})

    @property
    def needs_janitor(self) -> bool:
        return True

    def on(self, redis: Redis) -> PipelineWorkload:
        return PipelineWorkload(self.resolved.on(redis))

    def link(self, credentials: Credentials) -> Link:
        route = Route.to(self.resolved.redis, self.resolved.keys.stream, credentials=credentials)
        return Link(route, name=f"penstock-dev-{self.name}")

    def process_files(self) -> tuple[dict[Path, str], str]:
        around = (self.resolved.generated or self.resolved).around  # as generated, even on another Redis
        text, digest = worker_file.write(self.environment, _local(self.spec), around, self.resolved.message_schema())
        return {self._file: text}, digest

    def arguments(self, files: Path, url: str, paths: Sequence[Path]) -> list[str]:
        code = [word for path in paths for word in ("--path", str(path))]
        return [
            "worker",
            str(files / self._file),
            "--redis",
            url,
            "--listen",
            "127.0.0.1:0",
            "--log-format",
            "json",
            *code,
        ]

    def settings(self) -> Settings:
        """The settings of its ScaledObject, after templates and patches. Raises CannotGoOn if unsupported here."""
        manifest = scaler_manifest(self.spec, self.resolved.around, self.resolved.templates).result.manifest
        return settings_of(manifest)

    async def readings(self, link: Link, janitor: int | None) -> Readings:
        return await read_triggers(link, self.resolved.keys, self.name, janitor)

    async def measure(self, link: Link) -> Measurements:
        keys = self.resolved.keys
        measured, now = await measure(link, keys, self._large), await counts(link, keys)
        self._large = measured.large
        before, self._before = self._before, now
        done = None if before is None else done_per_second(self.spec, before, now)
        status = Status(self.resolved, measured, done=done).as_json()
        return Measurements(
            by_state=tuple((state, _int_or_none(status[state])) for state in STATES),
            backlog=_backlog(self.spec, measured),
            oldest=measured.oldest / 1000,
            dead=measured.dead,
            done=done,
            idle=_idle(self.spec, measured),
            held=await self._held(link),
        )

    def reset(self) -> None:
        self._before = None

    async def send(self, link: Link, credentials: Credentials, count: int) -> str:
        """Send sample messages that fit the schema; no two are duplicates."""
        del link
        schema, random = self.resolved.message_schema(), SystemRandom()
        message = self.spec.message
        unique = {name for name in (message.correlate, message.dedup and message.dedup.by) if name}
        sent, error = 0, ""
        async with Producer(self.resolved, credentials=credentials) as producer:
            for start in range(0, count, BATCH):
                bodies = [sample(schema, random, unique) for _ in range(min(BATCH, count - start))]
                for outcome in await producer.send_many(bodies, timeout=5):
                    if isinstance(outcome, Sent | Duplicate):
                        sent += 1
                    else:
                        error = str(getattr(outcome, "error", outcome))
        if error:
            raise CannotGoOn(f"sent {sent} of {count}: {error}")
        return f"sent {many(sent, 'message')}"

    async def set_paused(self, link: Link, *, paused: bool) -> None:
        """Nothing to do: a pipeline pauses by its scaling."""
        del link, paused

    @property
    def _file(self) -> Path:
        return Path(f"{self.name}.json")

    async def _held(self, link: Link) -> dict[str, int]:
        try:
            reply = await link.call("XINFO", "CONSUMERS", self.resolved.keys.stream, self.resolved.keys.group)
        except Refused:  # the stream or the group does not exist yet
            return {}
        return {text(one[b"name"]): number(one[b"pending"]) for one in map(mapping, items(reply))}


def _local(spec: Pipeline) -> Pipeline:
    """Without the features that need a cluster: pod deletion cost and sidecar shutdown."""
    scaling = spec.scaling.model_copy(update={"protect_busy": False})
    shutdown = spec.shutdown.model_copy(update={"sidecar_quit_url": None})
    return spec.model_copy(update={"scaling": scaling, "shutdown": shutdown})


def _int_or_none(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _backlog(spec: Pipeline, measured: Measurement) -> int | None:
    """The result of KEDA's formula, without a boost."""
    if spec.stream.retention.keeps_nothing:
        return max(0, measured.unfinished - measured.parked)
    new = measured.new(until_done=False)
    return None if new is None else max(0, new + measured.pending - measured.parked)


def _idle(spec: Pipeline, measured: Measurement) -> bool:
    new = measured.new(until_done=spec.stream.retention.keeps_nothing)
    return new == measured.pending == measured.delayed == 0
