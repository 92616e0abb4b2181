"""Consumers of another make are removed when they are idle and their pod is gone; both must be known."""

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


class Listed:
    """Pods that are there."""

    def __init__(self, *names: str) -> None:
        self._names = frozenset(names)
        self.asked = 0

    def names(self) -> frozenset[str]:
        self.asked += 1
        return self._names

    def set_cost(self, pod: str, cost: int) -> None:
        raise AssertionError((pod, cost))


def stranger(stage: Stage, name: str, count: int) -> list[str]:
    """A consumer of another make, with messages, that has said nothing since."""
    stage.add(count)
    return stage.read(name, count)


async def idle(stage: Stage, seconds: float = 0.05) -> None:
    """All have said nothing for so long."""

    def all_idle() -> bool:
        told = stage.listed("XINFO", "CONSUMERS", stage.keys.stream, stage.keys.group)
        rows = [dict(zip(one[::2], one[1::2], strict=True)) for one in told]
        return all(row["idle"] >= seconds * 1000 for row in rows if not row["name"].startswith("~"))

    await until(all_idle, "they are idle")


def test_a_ghost_is_emptied_and_removed(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it held is run apart, as that of any lost worker; nothing of those whose pod is there is touched."""
    monkeypatch.setattr(ghosts, "PAGE", 3)
    stage = Stage(target, IDLE)
    stage.make()
    held = stranger(stage, "worker-web-abc12-1", 8)
    others = stranger(stage, "worker-web-def34-1", 2)
    keep(idle(stage))

    keep(stage.round(pods=Listed("web-def34", "janitor-1")))

    assert stage.suspect == held
    assert stage.owned("worker-web-def34-1") == others
    assert "worker-web-abc12-1" not in stage.consumers()
    assert stage.counted(janitor.GHOSTS_REMOVED) == 1
    assert stage.counted(janitor.GHOSTS) == 0
    assert stage.counted(maintenance.TAKEN_OVER) == 8


def test_an_unanswered_question_means_alive(target: Target) -> None:
    """It is counted and told; the other tasks of the round go on."""
    stage = Stage(target, IDLE)
    stage.make()
    held = stranger(stage, "worker-1", 2)
    keep(idle(stage))

    async def promise() -> None:
        async with stage.janitor(pods=Nobody()) as rounds:
            assert not await rounds.make()

    keep(promise())
    assert stage.owned("worker-1") == held
    assert stage.counted(janitor.JANITOR_ERRORS, "ghosts") == 1
    assert stage.counted(janitor.JANITOR_LAST_PASS) == 0


def test_who_asked_for_something_lately_is_no_ghost(target: Target) -> None:
    """Although there is no such pod; then nobody is even asked."""
    stage = Stage(target, NEVER_IDLE)
    stage.make()
    held = stranger(stage, "worker-1", 2)
    pods = Listed("janitor-1")

    keep(stage.round(pods=pods))

    assert stage.owned("worker-1") == held
    assert pods.asked == 0


def test_who_comes_back_between_question_and_removal_is_left(target: Target) -> None:
    """The script looks again."""
    stage = Stage(target, NEVER_IDLE)
    stage.make()
    held = stranger(stage, "worker-1", 2)
    keys = (stage.keys.stream, stage.keys.alive)

    assert stage.run("remove_ghost", keys, stage.keys.group, "worker-1", 3_600_000, 100) == ["busy", 0, 0]
    assert stage.owned("worker-1") == held
    assert stage.run("remove_ghost", keys, stage.keys.group, "worker-2", 0, 100) == ["none", 0, 0]


def test_workers_of_ours_are_known_by_their_lease(target: Target) -> None:
    """However idle they are, and whatever pods there are: they are the sweeper's."""
    stage = Stage(target, IDLE)
    stage.make()
    named_otherwise = "an-old-name"
    stage.ask("XGROUP", "CREATECONSUMER", stage.keys.stream, stage.keys.group, named_otherwise)
    stage.ask("ZADD", stage.keys.alive, stage.now() + 60_000, named_otherwise)
    ours = stage.life()
    stage.add(1)
    held = stage.read(ours)
    keep(idle(stage))

    keep(stage.round(pods=Listed("janitor-1")))

    assert stage.owned(ours) == held
    assert {ours, named_otherwise} <= set(stage.consumers())
    keys = (stage.keys.stream, stage.keys.alive)
    assert stage.run("remove_ghost", keys, stage.keys.group, ours, 0, 100) == ["busy", 0, 0]


def test_a_dry_run_says_and_removes_nothing(target: Target, caplog: pytest.LogCaptureFixture) -> None:
    """It names the ghost, and what it holds."""
    stage = Stage(target, DRY)
    stage.make()
    held = stranger(stage, "worker-1", 2)
    keep(idle(stage))

    with caplog.at_level(logging.WARNING):
        keep(stage.round(pods=Listed("janitor-1")))

    assert stage.owned("worker-1") == held
    assert stage.counted(janitor.GHOSTS) == 1
    assert stage.counted(janitor.GHOSTS_REMOVED) == 0
    assert events(caplog) == [Event.GHOST_FOUND]


def test_an_empty_ghost_is_removed_too(target: Target) -> None:
    """A consumer that owns nothing, of a pod that is gone."""
    stage = Stage(target, IDLE)
    stage.make()
    stage.ask("XGROUP", "CREATECONSUMER", stage.keys.stream, stage.keys.group, b"\xff\x00 worker")
    keep(idle(stage))

    keep(stage.round(pods=Listed("janitor-1")))

    assert stage.consumers() == []
