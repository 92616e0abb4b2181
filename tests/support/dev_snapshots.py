"""Snapshots for the screen of `penstock dev`, and fake controls that record the keys' actions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from penstock_dev.snapshot import (
    HistoryPoint,
    Level,
    LogLine,
    RedisSnapshot,
    Snapshot,
    SpecSnapshot,
    WorkerSnapshot,
    WorkerState,
)

NOON = 1_772_452_800.0
"""2026-03-02T12:00:00Z."""


def rising(top: int, fallen: int, replicas: tuple[int, ...]) -> tuple[HistoryPoint, ...]:
    """The history of a burst that workers reduce again."""
    backlog = [0] * 26 + [top * step // 5 for step in range(1, 6)] + [top - fallen * step for step in range(1, 10)]
    wanted = [0] * 28 + [one for one in replicas for _ in range(12 // len(replicas))]
    return tuple(HistoryPoint(max(waits, 0), count) for waits, count in zip(backlog, wanted, strict=True))


def numbers(*counts: int) -> tuple[tuple[str, int | None], ...]:
    names = ("new", "running", "ready", "suspect", "parked", "delayed", "dead")
    return tuple(zip(names, counts, strict=True))


TAILS = ("4jm84934", "t8w10c5z", "0q2vd7ks", "xk39fa1e", "m6ty2h0p", "e1r7zu5b")


def workers(*running: int, starting: int = 0) -> tuple[WorkerSnapshot, ...]:
    names = [f"dev-{number}~{tail}" for number, tail in enumerate(TAILS, start=1)]
    ready = [
        WorkerSnapshot(name, 48_211 + number, WorkerState.READY, count, 52 - 12 * number)
        for number, (name, count) in enumerate(zip(names, running, strict=False))
    ]
    new = [
        WorkerSnapshot(names[number], 48_211 + number, WorkerState.STARTING, None, 0.6)
        for number in range(len(ready), len(ready) + starting)
    ]
    return (*ready, *new)


AGENTS = SpecSnapshot(
    "agent-queue",
    numbers=numbers(2, 3, 0, 0, 1, 4, 0), backlog=5, oldest=1.4, dead=0, done=0.8, p50=2.1, p95=6.4,
    wanted=2, least=1, most=10, workers=workers(2, 1),
    history=tuple(HistoryPoint([3, 5, 4, 6, 5, 7, 5, 4][at % 8], 2) for at in range(40)),
    decision="HPA: 5 / 5 -> 1, held at 2 by the stabilization window",
)  # fmt: skip
CLUSTERING = SpecSnapshot(
    "media-cluster",
    numbers=numbers(842, 62, 0, 1, 3, 0, 2), backlog=904, oldest=37, dead=2, done=41.6, p50=0.31, p95=0.84,
    wanted=8, least=0, most=20, workers=workers(16, 16, 15, 15, starting=2),
    history=rising(1450, 60, (1, 2, 4, 6)),
    decision="HPA: 904 / 32 -> 29, scale-up limited by policy",
)  # fmt: skip
JOBS = SpecSnapshot(
    "tankpit-jobs",
    numbers=numbers(0, 0, 0, 0, 0, 0, 0), backlog=0, dead=0, done=0.0, wanted=1, least=0, most=4,
    workers=workers(0),
    history=tuple(HistoryPoint([0, 0, 0, 0, 0, 0, 0, 9, 4, 0][at // 4], int(at > 27)) for at in range(40)),
    decision="KEDA: cooldown, 22 s left",
)  # fmt: skip
LOG = (
    LogLine(1, NOON - 41, Level.INFO, "sent 1000 messages", "media-cluster"),
    LogLine(2, NOON - 40, Level.INFO, "KEDA: active: 0 -> 1", "media-cluster"),
    LogLine(3, NOON - 39, Level.INFO, "Joined as consumer dev-1~4jm84934", "media-cluster", "dev-1~4jm84934"),
    LogLine(4, NOON - 24, Level.INFO, "HPA: 1310 / 32 -> 41, scale-up limited by policy", "media-cluster"),
    LogLine(5, NOON - 17, Level.WARNING, "The message cannot be read  reason=json", "media-cluster",
            "dev-1~4jm84934"),
    LogLine(6, NOON - 9, Level.INFO, "HPA: 1090 / 32 -> 35, scale-up limited by policy", "media-cluster"),
    LogLine(7, NOON - 6, Level.INFO, "resumed  agent_id=agent-91ab20", "agent-queue", "dev-2~t8w10c5z"),
    LogLine(8, NOON - 4, Level.ERROR, "The message is dead: it will not be retried  reason=failed  attempts=5",
            "media-cluster", "dev-3~0q2vd7ks"),
    LogLine(9, NOON - 1, Level.INFO, "killed dev-2~b5nd6r8c (pid 48198)", "media-cluster"),
    LogLine(10, NOON, Level.INFO, "HPA: 904 / 32 -> 29, scale-up limited by policy", "media-cluster"),
)  # fmt: skip
SNAPSHOT = Snapshot(RedisSnapshot("127.0.0.1:41231", up=True, since=192), 10, (AGENTS, CLUSTERING, JOBS), LOG)
DOWN = replace(
    SNAPSHOT,
    redis=RedisSnapshot("127.0.0.1:41231", up=False, since=12),
    specs=tuple(
        replace(one, numbers=(), backlog=None, oldest=None, dead=None, done=None, problems=("Redis is unreachable",))
        for one in SNAPSHOT.specs
    ),
)


@dataclass
class FakeControls:
    """Records the actions of keys, and shows the test's snapshot."""

    snapshot: Snapshot = SNAPSHOT
    calls: list[tuple[object, ...]] = field(default_factory=list)
    raises: Exception | None = None
    reads: int = 0

    def source(self) -> Snapshot:
        self.reads += 1
        return self.snapshot

    async def send(self, spec: str, count: int) -> str:
        return self._did("send", spec, count)

    async def kill(self, spec: str, worker: str | None) -> str:
        return self._did("kill", spec, worker)

    async def stop_redis(self) -> str:
        return self._did("stop_redis")

    async def start_redis(self) -> str:
        return self._did("start_redis")

    async def pause(self, spec: str) -> str:
        return self._did("pause", spec)

    async def resume(self, spec: str) -> str:
        return self._did("resume", spec)

    def _did(self, *call: object) -> str:
        self.calls.append(call)
        if self.raises:
            raise self.raises
        return f"did {' '.join(map(str, call))}"
