"""`--dry-run` prints what a round would do, and changes nothing."""

from collections.abc import Callable

import pytest
from janitors import House
from patience import PATIENCE
from pipelines import Trial
from promises import keep, until
from stage import Nobody, Stage
from targets import Target

from penstock.janitor.dry_run import PlannedChange, RoundPlan, plan_rounds
from penstock.janitor.kubernetes_pods import PodsApi
from penstock.keys import PARKED, READY
from penstock.wire.errors import Refused
from penstock_spec.kinds.pipeline.metrics import janitor

IDLE = "janitor: {ghosts: {idle: 1ms}}"


class Listed:
    """Pods that exist."""

    def names(self) -> frozenset[str]:
        return frozenset({"janitor-1"})

    def set_cost(self, pod: str, cost: int) -> None:
        raise AssertionError((pod, cost))


async def seen(stage: Stage, pods: PodsApi) -> RoundPlan:
    link = stage.link()
    try:
        [told] = await plan_rounds([stage.pipeline], [link], pods)
    finally:
        await link.close()
    return told


async def looked(stage: Stage) -> dict[str, int]:
    told = await seen(stage, Listed())
    assert told.trouble is None
    assert {one.pipeline for one in told.changes} <= {"trial"}
    return {one.does: one.count for one in told.changes if isinstance(one, PlannedChange)}


def create_work(stage: Stage) -> None:
    """Everything that a round can repair while the group exists."""
    stage.make()
    ids = stage.add(20)
    worker = stage.life(lease=600_000)
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


def test_it_lists_everything_that_a_round_would_do(target: Target) -> None:
    """One change a line, with a number."""
    stage = Stage(target, IDLE)
    create_work(stage)
    assert keep(looked(stage)) == {
        "promote parked messages that are due": 2,
        "promote delayed messages that are due": 1,
        "remove expired dead letters": 1,
        "repair delayed messages": 2,
        "take over messages of lost workers": 4,
        "delete consumers of lost workers": 1,
        "mark workers without a lease as lost": 1,
        "restore missing due times of parked messages": 1,
        "remove due times of messages that are not parked": 1,
        "bring back messages that are not pending": 1,
        "remove ghosts: consumers whose pod is gone": 1,
    }


@pytest.mark.parametrize(
    ("spec", "does"),
    [
        ("stream: {retention: {keep: {length: 3}}}", "trim entries that every group has finished"),
        ("stream: {retention: {keep: {age: 1h}}}", "trim entries that every group has finished"),
        ("stream: {foreign_workers: true}", "delete messages that foreign workers finished"),
    ],
)
def test_it_follows_the_spec(target: Target, spec: str, does: str) -> None:
    """Finished entries are trimmed; messages that foreign workers finished are deleted."""
    stage = Stage(target, spec)
    stage.make()
    first = stage.now() - 7_200_000
    for number in range(7):
        stage.ask("XADD", stage.keys.stream, f"{first + number}-0", "data", "{}")
    ids = stage.read("somebody-else")
    stage.ask("XACK", stage.keys.stream, stage.keys.group, *ids)
    count = 4 if "length" in spec else 7
    assert keep(looked(stage)) == {does: count}


def test_a_missing_group(target: Target) -> None:
    """It would be created, or recreated."""
    stage = Stage(target)
    assert keep(looked(stage)) == {"create the group": 1}
    stage.make()
    assert keep(looked(stage)) == {}
    stage.ask("XGROUP", "DESTROY", stage.keys.stream, stage.keys.group)
    assert keep(looked(stage)) == {"recreate the vanished group, and bring back its messages": 1}


KEPT = "stream: {retention: {keep: {length: 100}}}"
FOREIGN = "stream: {foreign_workers: true}"


@pytest.mark.parametrize("spec", ["", KEPT, FOREIGN], ids=["until-done", "history", "foreign workers"])
def test_records_of_messages_that_are_not_pending(target: Target, spec: str) -> None:
    """A round removes and brings back as many as announced; then nothing is left to do."""
    stage = Stage(target, spec)
    stage.make()
    ids = stage.add(4)
    worker = stage.life()
    stage.read(worker, 4)
    stage.ask("HSET", stage.keys.uncharged, ids[0], 1, "1-1", 1, "~count", 5, "nonsense", 1)
    stage.ask("HSET", stage.keys.crashed, "2-2", "crash", ids[1], "crash")
    stage.ask("XACK", stage.keys.stream, stage.keys.group, ids[0])
    forgets = "remove records of messages that are not pending"
    if spec == FOREIGN:
        expected = {forgets: 4, "delete messages that foreign workers finished": 1}
    else:
        expected = {forgets: 3, "bring back messages that are not pending": 1}
    assert keep(looked(stage)) == expected

    keep(stage.round())

    assert stage.counted(janitor.RECONCILED, "uncharged_without_pending") == expected[forgets]
    assert stage.counted(janitor.RECONCILED, "pending_nowhere") == (0 if spec == FOREIGN else 1)
    assert keep(looked(stage)) == {}


def test_messages_finished_while_another_group_read(target: Target) -> None:
    """They are deleted and not run again; unfinished ones come back in the round after."""
    stage = Stage(target)
    stage.make()
    ids = stage.add(3)
    worker = stage.life()
    stage.read(worker)
    stage.ask("XGROUP", "CREATE", stage.keys.stream, "debug", "$")
    stage.settle(worker, dict.fromkeys(ids[:2], 1))
    stage.ask("XACK", stage.keys.stream, stage.keys.group, ids[2])
    assert keep(looked(stage)) == {}
    stage.ask("XGROUP", "DESTROY", stage.keys.stream, "debug")
    expected = {
        "delete messages finished while another group read the stream": 2,
        "bring back messages that are not pending": 1,
    }
    assert keep(looked(stage)) == expected

    keep(stage.round())

    assert keep(looked(stage)) == {}
    assert stage.counted(janitor.RECONCILED, "finished_beside") == 2
    assert stage.counted(janitor.RECONCILED, "pending_nowhere") == 1


GHOSTS = "{{stream: {{foreign_workers: true}}, janitor: {{ghosts: {{idle: 1ms, dry_run: {}}}}}}}"


def test_deletion_costs(target: Target) -> None:
    """A new janitor would set each pod's cost, as it does not know the old one; the dry run sets none."""
    stage = Stage(target, "{scaling: {protect_busy: true}, stream: {consumer: 'worker-{hostname}'}}")
    stage.make()
    stage.add(3)
    stage.read(stage.life("worker-web-1"), 2)
    stage.read(stage.life("worker-web-2"), 1)
    assert keep(looked(stage)) == {"set pod-deletion costs": 2}


def test_ghosts_that_are_only_logged(target: Target) -> None:
    """If the spec says so."""
    stage = Stage(target, GHOSTS.format("true"))
    stage.make()
    stage.add(1)
    stage.read("somebody-else", 1)

    async def says() -> bool:
        return await looked(stage) == {"log ghosts without removing them": 1}

    keep(until(says, "it is idle"))


def test_ghosts_without_an_answer_from_kubernetes(target: Target) -> None:
    """It says why it cannot find ghosts, instead of reporting none."""
    stage = Stage(target, GHOSTS.format("false"))
    stage.make()
    stage.add(1)
    stage.read("somebody-else", 1)

    async def says() -> bool:
        told = await seen(stage, Nobody())
        return [str(one) for one in told.changes] == ["cannot find ghosts: nobody knows  (trial)"]

    keep(until(says, "it is idle"))


def test_a_key_of_another_type_is_not_a_missing_group(target: Target) -> None:
    """A round could do nothing, so no change is listed."""
    stage = Stage(target)
    stage.ask("SET", stage.keys.stream, "something else")
    told = keep(seen(stage, Listed()))
    assert isinstance(told.trouble, Refused)
    assert told.trouble.code == "WRONGTYPE"
    assert told.changes == ()


def test_a_failure_of_one_pipeline_hides_no_other(house: Callable[..., House]) -> None:
    """The failure is printed with the pipeline's name, and the exit code is 1."""
    one = house("broken", "well")
    one.stages["broken"].ask("SET", one.stages["broken"].keys.stream, "something else")

    janitor = one.janitor("--dry-run")

    assert janitor.process.wait(PATIENCE) == 1, janitor.log()
    assert "would create the group  (well: 1)" in janitor.log()
    assert "broken: cannot be checked: Redis refused: WRONGTYPE" in janitor.log()
    assert "one of the pipeline's keys has another type" in janitor.log()


def test_the_command_changes_nothing(target: Target, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Each key stays as it was, including the janitors' lock; the output lists the work."""
    with Trial(tmp_path_factory.mktemp("trial"), target) as trial:
        stage = Stage(target)
        create_work(stage)
        before = stage.everything()

        process = trial.start("janitor", "--dry-run", "--redis", target.url)

        assert process.process.wait(PATIENCE) == 0, process.log()
        assert stage.everything() == before
        assert "would take over messages of lost workers  (trial: 4)" in process.log()
        assert stage.owned(PARKED), "there was something to do"
