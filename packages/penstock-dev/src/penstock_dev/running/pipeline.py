"""How a pipeline runs here: as its pods would, from the file that the generator writes for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import SystemRandom

from penstock.maintenance.measure import Measurement, measure
from penstock.maintenance.replies import items, mapping, number, text
from penstock.operating.spans import many
from penstock.operating.status import Status
from penstock.operating.throughput import Counts, counts, done_per_second
from penstock.producer.outcomes import Duplicate, Sent
from penstock.producer.producer import Producer
from penstock.resolved import Resolved
from penstock.wire.credentials import Credentials
from penstock.wire.errors import Refused
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_dev.running.triggers import readings
from penstock_dev.running.workload import Measurements
from penstock_dev.sample import sample
from penstock_scaling import Readings, settings_of
from penstock_scaling.settings import Settings
from penstock_spec import worker_file
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.scaler.scaled_object import scaled_object
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.patching import patched
from penstock_spec.platform import Redis

BUNCH = 500
STATES = ("new", "running", "ready", "suspect", "parked", "delayed")


@dataclass(slots=True)
class PipelineWorkload:
    """One pipeline in its environment."""

    of: Resolved
    _before: Counts | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """The spec's."""
        return self.of.name

    @property
    def kind(self) -> str:
        """The spec's."""
        return "pipeline"

    @property
    def environment(self) -> str:
        """Its name."""
        return self.of.environment

    @property
    def spec(self) -> Pipeline:
        """As it is in its environment."""
        return self.of.spec

    @property
    def replica_bounds(self) -> tuple[int, int]:
        """At least, and at most."""
        bounds = self.spec.scaling.replicas
        return bounds.min, bounds.max

    @property
    def grace(self) -> float:
        """Seconds that a worker has to leave."""
        return self.spec.shutdown.grace.seconds

    @property
    def ready(self) -> frozenset[str]:
        """What a worker says when it is ready."""
        return frozenset({"a life in the group begins"})

    @property
    def needs_janitor(self) -> bool:
        """The janitor looks after it."""
        return True

    def on(self, redis: Redis) -> PipelineWorkload:
        """The same on another Redis."""
        return PipelineWorkload(self.of.on(redis))

    def link(self, credentials: Credentials) -> Link:
        """To where its keys are."""
        route = Route.to(self.of.redis, self.of.keys.stream, credentials=credentials)
        return Link(route, name=f"penstock-dev-{self.name}")

    def written(self) -> tuple[dict[Path, str], str]:
        """What its processes read, and the digest of that: another one asks for new processes."""
        around = (self.of.generated or self.of).around  # as it was generated, also where it runs on another Redis
        text, digest = worker_file.write(self.environment, _alone(self.spec), around, self.of.of_messages())
        return {self._file: text}, digest

    def words(self, files: Path, url: str, paths: Sequence[Path]) -> list[str]:
        """The words after `penstock` that run a worker."""
        where = [word for path in paths for word in ("--path", str(path))]
        return [
            "worker",
            str(files / self._file),
            "--redis",
            url,
            "--listen",
            "127.0.0.1:0",
            "--log-format",
            "json",
            *where,
        ]

    def settings(self) -> Settings:
        """What KEDA would be told, patches applied. Raises CannotGoOn where that cannot be run here."""
        manifest = scaled_object(self.spec, self.of.around)
        return settings_of(patched(manifest, self.spec.patches, "ScaledObject").manifest)

    async def read(self, link: Link, janitor: int | None) -> Readings:
        """What KEDA would read."""
        return await readings(link, self.of.keys, self.name, janitor)

    async def look(self, link: Link) -> Measurements:
        """How it is. Raises RedisTrouble."""
        keys = self.of.keys
        measured, now = await measure(link, keys), await counts(link, keys)
        before, self._before = self._before, now
        done = None if before is None else done_per_second(self.spec, before, now)
        told = Status(self.of, measured, done=done).told()
        return Measurements(
            by_state=tuple((state, _whole(told[state])) for state in STATES),
            backlog=_backlog(self.spec, measured),
            oldest=measured.oldest / 1000,
            dead=measured.dead,
            done=done,
            idle=_idle(self.spec, measured),
            held=await self._held(link),
        )

    def reset(self) -> None:
        """Redis did not answer: the next look begins anew."""
        self._before = None

    async def send(self, link: Link, credentials: Credentials, count: int) -> str:
        """Messages that fit the schema, none of them the same work as another."""
        del link
        schema, chance = self.of.of_messages(), SystemRandom()
        message = self.spec.message
        fresh = {name for name in (message.correlate, message.dedup and message.dedup.by) if name}
        sent, trouble = 0, ""
        async with Producer(self.of, credentials=credentials) as producer:
            for begin in range(0, count, BUNCH):
                bodies = [sample(schema, chance, fresh) for _ in range(min(BUNCH, count - begin))]
                for outcome in await producer.send_many(bodies, timeout=5):
                    if isinstance(outcome, Sent | Duplicate):
                        sent += 1
                    else:
                        trouble = str(getattr(outcome, "error", outcome))
        if trouble:
            raise CannotGoOn(f"{sent} of {count} sent; {trouble}")
        return f"sent {many(sent, 'message')}"

    async def set_paused(self, link: Link, *, held: bool) -> None:
        """Its scaling is what can be paused."""
        del link, held

    @property
    def _file(self) -> Path:
        return Path(f"{self.name}.json")

    async def _held(self, link: Link) -> dict[str, int]:
        try:
            told = await link.call("XINFO", "CONSUMERS", self.of.keys.stream, self.of.keys.group)
        except Refused:  # no stream, or no group yet
            return {}
        return {text(one[b"name"]): number(one[b"pending"]) for one in map(mapping, items(told))}


def _alone(spec: Pipeline) -> Pipeline:
    """Without a cluster nobody is to be told which pods are busy, or to leave too; both would be complained of."""
    scaling = spec.scaling.model_copy(update={"protect_busy": False})
    shutdown = spec.shutdown.model_copy(update={"sidecar_quit_url": None})
    return spec.model_copy(update={"scaling": scaling, "shutdown": shutdown})


def _whole(told: object) -> int | None:
    return told if isinstance(told, int) else None


def _backlog(spec: Pipeline, measured: Measurement) -> int | None:
    """What KEDA's formula comes to, without a boost."""
    if spec.stream.retention.keeps_nothing:
        return max(0, measured.length - measured.parked)
    new = measured.new(until_done=False)
    return None if new is None else max(0, new + measured.pending - measured.parked)


def _idle(spec: Pipeline, measured: Measurement) -> bool:
    new = measured.new(until_done=spec.stream.retention.keeps_nothing)
    return new == measured.pending == measured.delayed == 0
