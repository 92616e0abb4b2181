"""A foreign consumer is removed if it is idle and its pod is gone; both must be known."""

import logging

import pytest
from logged import events
from promises import keep, until
from stage import Nobody, Stage
from targets import Target

from penstock.janitor import ghosts
from penstock.observe.events import Event
from penstock_spec.kinds.pipeline.metrics import janitor, maintenance

pytestmark = pytest.mark.wire

IDLE = "{stream: {foreign_workers: true}, janitor: {ghosts: {idle: 50ms}}}"
NEVER_IDLE = "{stream: {foreign_workers: true}, janitor: {ghosts: {idle: 1h}}}"
DRY = "{stream: {foreign_workers: true}, janitor: {ghosts: {idle: 50ms, dry_run: true}}}"


class ExistingPods:
    """Pods that exist."""

    def __init__(self, *names: str) -> None:
        self._names = frozenset(names)
        self.asked = 0

    def names(self) -> frozenset[str]:
        self.asked += 1
        return self._names

    def set_cost(self, pod: str, cost: int) -> None:
        raise AssertionError((pod, cost))


def foreign_consumer(stage: Stage, name: str, count: int) -> list[str]:
    """A foreign consumer with messages, which has been silent since."""
    stage.add(count)
    return stage.read(name, count)


async def all_idle_for(stage: Stage, seconds: float = 0.05) -> None:
    """Wait until all consumers have been silent for this long."""

    def all_idle() -> bool:
        told = stage.listed("XINFO", "CONSUMERS", stage.keys.stream, stage.keys.group)
        rows = [dict(zip(one[::2], one[1::2], strict=True)) for one in told]
        return all(row["idle"] >= seconds * 1000 for row in rows if not row["name"].startswith("~"))

    await until(all_idle, "they are idle")


def test_a_ghost_is_emptied_and_removed(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its messages run isolated, like those of any lost worker; consumers whose pod exists are left alone."""
    monkeypatch.setattr(ghosts, "PAGE", 3)
    stage = Stage(target, IDLE)
    stage.make()
    held = foreign_consumer(stage, "worker-web-abc12-1", 8)
    others = foreign_consumer(stage, "worker-web-def34-1", 2)
    keep(all_idle_for(stage))

    keep(stage.round(pods=ExistingPods("web-def34", "janitor-1")))

    assert stage.suspect == held
    assert stage.owned("worker-web-def34-1") == others
    assert "worker-web-abc12-1" not in stage.consumers()
    assert stage.counted(janitor.GHOSTS_REMOVED) == 1
    assert stage.counted(janitor.GHOSTS) == 0
    assert stage.counted(maintenance.TAKEN_OVER) == 8


def test_without_an_answer_all_pods_count_as_alive(target: Target) -> None:
    """The failure is counted and logged; the other tasks of the round go on."""
    stage = Stage(target, IDLE)
    stage.make()
    held = foreign_consumer(stage, "worker-1", 2)
    keep(all_idle_for(stage))

    async def promise() -> None:
        async with stage.janitor(pods=Nobody()) as rounds:
            assert not await rounds.make()

    keep(promise())
    assert stage.owned("worker-1") == held
    assert stage.counted(janitor.JANITOR_ERRORS, "ghosts") == 1
    assert stage.counted(janitor.JANITOR_LAST_PASS) == 0


def test_an_active_consumer_is_no_ghost(target: Target) -> None:
    """Even without such a pod; Kubernetes is not called then."""
    stage = Stage(target, NEVER_IDLE)
    stage.make()
    held = foreign_consumer(stage, "worker-1", 2)
    pods = ExistingPods("janitor-1")

    keep(stage.round(pods=pods))

    assert stage.owned("worker-1") == held
    assert pods.asked == 0


def test_a_consumer_that_becomes_active_before_its_removal_stays(target: Target) -> None:
    """The script checks again."""
    stage = Stage(target, NEVER_IDLE)
    stage.make()
    held = foreign_consumer(stage, "worker-1", 2)
    keys = (stage.keys.stream, stage.keys.alive)

    assert stage.run("remove_ghost", keys, stage.keys.group, "worker-1", 3_600_000, 100) == ["busy", 0, 0]
    assert stage.owned("worker-1") == held
    assert stage.run("remove_ghost", keys, stage.keys.group, "worker-2", 0, 100) == ["none", 0, 0]


def test_penstock_workers_are_no_ghosts(target: Target) -> None:
    """However idle they are, and whatever pods exist: they are taken over when their lease expires."""
    stage = Stage(target, IDLE)
    stage.make()
    named_otherwise = "an-old-name"
    stage.ask("XGROUP", "CREATECONSUMER", stage.keys.stream, stage.keys.group, named_otherwise)
    stage.ask("ZADD", stage.keys.alive, stage.now() + 60_000, named_otherwise)
    ours = stage.life()
    stage.add(1)
    held = stage.read(ours)
    keep(all_idle_for(stage))

    keep(stage.round(pods=ExistingPods("janitor-1")))

    assert stage.owned(ours) == held
    assert {ours, named_otherwise} <= set(stage.consumers())
    keys = (stage.keys.stream, stage.keys.alive)
    assert stage.run("remove_ghost", keys, stage.keys.group, ours, 0, 100) == ["busy", 0, 0]


def test_a_dry_run_of_ghosts_only_logs(target: Target, caplog: pytest.LogCaptureFixture) -> None:
    """It logs the ghost and how many messages it holds."""
    stage = Stage(target, DRY)
    stage.make()
    held = foreign_consumer(stage, "worker-1", 2)
    keep(all_idle_for(stage))

    with caplog.at_level(logging.WARNING):
        keep(stage.round(pods=ExistingPods("janitor-1")))

    assert stage.owned("worker-1") == held
    assert stage.counted(janitor.GHOSTS) == 1
    assert stage.counted(janitor.GHOSTS_REMOVED) == 0
    assert events(caplog) == [Event.GHOST_FOUND]


def test_an_empty_ghost_is_removed_too(target: Target) -> None:
    """A consumer that owns nothing, of a pod that is gone."""
    stage = Stage(target, IDLE)
    stage.make()
    stage.ask("XGROUP", "CREATECONSUMER", stage.keys.stream, stage.keys.group, b"\xff\x00 worker")
    keep(all_idle_for(stage))

    keep(stage.round(pods=ExistingPods("janitor-1")))

    assert stage.consumers() == []
