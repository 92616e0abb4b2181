"""`--dry-run` says what a round would do, and changes nothing at all."""

import pytest
from pipelines import Trial
from promises import keep
from stage import Stage
from targets import Target

from penstock.janitor.look import look
from penstock.keys import PARKED, READY

IDLE = "janitor: {ghosts: {idle: 1ms}}"


class Listed:
    """Pods that are there."""

    def names(self) -> frozenset[str]:
        return frozenset({"janitor-1"})

    def set_cost(self, pod: str, cost: int) -> None:
        raise AssertionError((pod, cost))


async def looked(stage: Stage) -> dict[str, int]:
    link = stage.link()
    try:
        told = await look([stage.pipeline], [link], Listed())
    finally:
        await link.close()
    assert {one.pipeline for one in told} <= {"trial"}
    return {one.does: one.count for one in told}


def mess(stage: Stage) -> None:
    """All that a round has to do, where the group is there."""
    stage.make()
    ids = stage.add(20)
    worker = stage.life()
    stage.read(worker, 12)
    stage.park(ids[:2])
    stage.park(ids[2:5], wait=60_000)
    stage.ask("ZREM", stage.keys.parked, ids[4])
    stage.ask("ZADD", stage.keys.parked, stage.now() + 60_000, ids[5])
    stage.ask("XCLAIM", stage.keys.stream, stage.keys.group, READY, 0, ids[6], "JUSTID")
    stage.ask("XGROUP", "DELCONSUMER", stage.keys.stream, stage.keys.group, READY)
    for name, due in (("a", 1), ("b", stage.now() + 60_000), ("c", stage.now() + 60_000)):
        stage.ask("ZADD", stage.keys.delayed, due, name)
    stage.ask("HSET", stage.keys.bodies, "a", b"\x92\xa4data\xa2{}")
    stage.ask("XADD", stage.keys.dead, "1-1", "data", "{}")
    stage.lost(4)
    stage.read("worker~0123abcd", 1)
    stage.read("somebody-else", 1)


def test_it_says_all_that_a_round_would_do(target: Target) -> None:
    """One thing a line, each with its number."""
    stage = Stage(target, IDLE)
    mess(stage)
    assert keep(looked(stage)) == {
        "promote parked messages that are due": 2,
        "let delayed messages into the stream": 1,
        "remove dead letters that are too old": 1,
        "put delayed bodies and their due times right": 2,
        "take over messages of lost workers": 4,
        "delete consumers of lost workers": 1,
        "take consumers of ours without a lease for lost": 1,
        "give parked messages the due time that they lost": 1,
        "drop due times of what is not parked": 1,
        "bring back what is pending nowhere": 1,
        "remove consumers whose pod is gone": 1,
    }


@pytest.mark.parametrize(
    ("spec", "does"),
    [
        ("stream: {retention: {keep: {length: 3}}}", "trim finished entries, as far as every group has finished them"),
        ("stream: {retention: {keep: {age: 1h}}}", "trim finished entries, as far as every group has finished them"),
        ("stream: {foreign_workers: true}", "delete what others finished"),
    ],
)
def test_it_speaks_of_what_the_spec_says(target: Target, spec: str, does: str) -> None:
    """History is trimmed; where others work, what they finished is deleted."""
    stage = Stage(target, spec)
    stage.make()
    first = stage.now() - 7_200_000
    for number in range(7):
        stage.ask("XADD", stage.keys.stream, f"{first + number}-0", "data", "{}")
    ids = stage.read("somebody-else")
    stage.ask("XACK", stage.keys.stream, stage.keys.group, *ids)
    count = 4 if "length" in spec else 7
    assert keep(looked(stage)) == {does: count}


def test_a_group_that_is_not_there(target: Target) -> None:
    """It is made, or made again."""
    stage = Stage(target)
    assert keep(looked(stage)) == {"make the group": 1}
    stage.make()
    assert keep(looked(stage)) == {}
    stage.ask("XGROUP", "DESTROY", stage.keys.stream, stage.keys.group)
    assert keep(looked(stage)) == {"make the group again, which vanished, and bring back what is left": 1}


def test_the_command_changes_nothing(target: Target, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Each key is afterwards what it was, the janitors' lock included; what it says is what there is to do."""
    with Trial(tmp_path_factory.mktemp("trial"), target) as trial:
        stage = Stage(target)
        mess(stage)
        before = stage.everything()

        process = trial.start("janitor", "--dry-run", "--redis", target.url)

        assert process.process.wait(60) == 0, process.log()
        assert stage.everything() == before
        assert "would take over messages of lost workers  (trial: 4)" in process.log()
        assert stage.owned(PARKED), "there was something to do"
