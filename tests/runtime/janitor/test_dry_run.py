"""`--dry-run` prints the changes that a round would make, and makes none."""

from collections.abc import Callable

import pytest
from event_loop import run_async, until
from janitors import JanitorRepository
from patience import PATIENCE
from pipeline_driver import PipelineDriver, UnknownPods
from pipelines import Trial
from targets import Target

from penstock.janitor.dry_run import PlannedChange, RoundPlan, plan_rounds
from penstock.janitor.kubernetes_pods import PodsApi
from penstock.keys import PARKED, READY
from penstock.wire.errors import Refused
from penstock_spec.kinds.pipeline.metrics import janitor

IDLE = "janitor: {ghosts: {idle: 1ms}}"


class ExistingPods:
    """A list of pods without those of the consumers."""

    def names(self) -> frozenset[str]:
        return frozenset({"janitor-1"})

    def set_cost(self, pod: str, cost: int) -> None:
        raise AssertionError((pod, cost))


async def plan_of(driver: PipelineDriver, pods: PodsApi) -> RoundPlan:
    link = driver.link()
    try:
        [plan] = await plan_rounds([driver.pipeline], [link], pods)
    finally:
        await link.close()
    return plan


async def planned_changes(driver: PipelineDriver) -> dict[str, int]:
    plan = await plan_of(driver, ExistingPods())
    assert plan.trouble is None
    assert {one.pipeline for one in plan.changes} <= {"trial"}
    return {one.does: one.count for one in plan.changes if isinstance(one, PlannedChange)}


def create_work(driver: PipelineDriver) -> None:
    """Everything that a round repairs while the group exists."""
    driver.create_group()
    ids = driver.add(20)
    worker = driver.join_group(lease=600_000)
    driver.read(worker, 12)
    driver.park(ids[:2])
    driver.park(ids[2:5], wait=60_000)
    driver.ask("ZREM", driver.keys.parked, ids[4])
    driver.ask("ZADD", driver.keys.parked, driver.now() + 60_000, ids[5])
    driver.ask("XCLAIM", driver.keys.stream, driver.keys.group, READY, 0, ids[6], "JUSTID")
    driver.ask("XGROUP", "DELCONSUMER", driver.keys.stream, driver.keys.group, READY)
    for name, due in (("a", 1), ("b", driver.now() + 60_000), ("c", driver.now() + 60_000)):
        driver.ask("ZADD", driver.keys.delayed, due, name)
    driver.ask("HSET", driver.keys.bodies, "a", b"\x92\xa4data\xa2{}")
    driver.ask("XADD", driver.keys.dead, "1-1", "data", "{}")
    driver.lost(4)
    driver.read("worker~0123abcd", 1)
    driver.read("foreign-1", 1)


def test_it_lists_everything_that_a_round_would_do(target: Target) -> None:
    """Each change with a count."""
    driver = PipelineDriver(target, IDLE)
    create_work(driver)
    assert run_async(planned_changes(driver)) == {
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
    ("spec", "change"),
    [
        ("stream: {retention: {keep: {length: 3}}}", "trim entries that every group has finished"),
        ("stream: {retention: {keep: {age: 1h}}}", "trim entries that every group has finished"),
        ("stream: {foreign_workers: true}", "delete messages that foreign workers finished"),
    ],
)
def test_it_follows_the_spec(target: Target, spec: str, change: str) -> None:
    """Finished entries are trimmed; messages that foreign workers finished are deleted."""
    driver = PipelineDriver(target, spec)
    driver.create_group()
    first = driver.now() - 7_200_000
    for number in range(7):
        driver.ask("XADD", driver.keys.stream, f"{first + number}-0", "data", "{}")
    ids = driver.read("foreign-1")
    driver.ask("XACK", driver.keys.stream, driver.keys.group, *ids)
    count = 4 if "length" in spec else 7
    assert run_async(planned_changes(driver)) == {change: count}


def test_a_missing_group_would_be_created(target: Target) -> None:
    """Or recreated, if it vanished."""
    driver = PipelineDriver(target)
    assert run_async(planned_changes(driver)) == {"create the group": 1}
    driver.create_group()
    assert run_async(planned_changes(driver)) == {}
    driver.ask("XGROUP", "DESTROY", driver.keys.stream, driver.keys.group)
    assert run_async(planned_changes(driver)) == {"recreate the vanished group, and bring back its messages": 1}


HISTORY = "stream: {retention: {keep: {length: 100}}}"
FOREIGN = "stream: {foreign_workers: true}"


@pytest.mark.parametrize("spec", ["", HISTORY, FOREIGN], ids=["until-done", "history", "foreign workers"])
def test_records_of_messages_that_are_not_pending_would_be_removed(target: Target, spec: str) -> None:
    """A round removes and brings back as many as planned; then no work is left."""
    driver = PipelineDriver(target, spec)
    driver.create_group()
    ids = driver.add(4)
    worker = driver.join_group()
    driver.read(worker, 4)
    driver.ask("HSET", driver.keys.uncharged, ids[0], 1, "1-1", 1, "~count", 5, "nonsense", 1)
    driver.ask("HSET", driver.keys.crashed, "2-2", "crash", ids[1], "crash")
    driver.ask("XACK", driver.keys.stream, driver.keys.group, ids[0])
    removal = "remove records of messages that are not pending"
    if spec == FOREIGN:
        expected = {removal: 4, "delete messages that foreign workers finished": 1}
    else:
        expected = {removal: 3, "bring back messages that are not pending": 1}
    assert run_async(planned_changes(driver)) == expected

    run_async(driver.round())

    assert driver.counted(janitor.RECONCILED, "uncharged_without_pending") == expected[removal]
    assert driver.counted(janitor.RECONCILED, "pending_nowhere") == (0 if spec == FOREIGN else 1)
    assert run_async(planned_changes(driver)) == {}


def test_messages_finished_while_another_group_read_would_be_deleted(target: Target) -> None:
    """They are not run again; unfinished ones come back in the round after."""
    driver = PipelineDriver(target)
    driver.create_group()
    ids = driver.add(3)
    worker = driver.join_group()
    driver.read(worker)
    driver.ask("XGROUP", "CREATE", driver.keys.stream, "debug", "$")
    driver.settle(worker, dict.fromkeys(ids[:2], 1))
    driver.ask("XACK", driver.keys.stream, driver.keys.group, ids[2])
    assert run_async(planned_changes(driver)) == {}
    driver.ask("XGROUP", "DESTROY", driver.keys.stream, "debug")
    expected = {
        "delete messages finished while another group read the stream": 2,
        "bring back messages that are not pending": 1,
    }
    assert run_async(planned_changes(driver)) == expected

    run_async(driver.round())

    assert run_async(planned_changes(driver)) == {}
    assert driver.counted(janitor.RECONCILED, "finished_beside") == 2
    assert driver.counted(janitor.RECONCILED, "pending_nowhere") == 1


GHOSTS = "{{stream: {{foreign_workers: true}}, janitor: {{ghosts: {{idle: 1ms, dry_run: {}}}}}}}"


def test_every_deletion_cost_would_be_set(target: Target) -> None:
    """A new janitor does not know the current costs; the dry run sets none."""
    driver = PipelineDriver(target, "{scaling: {protect_busy: true}, stream: {consumer: 'worker-{hostname}'}}")
    driver.create_group()
    driver.add(3)
    driver.read(driver.join_group("worker-web-1"), 2)
    driver.read(driver.join_group("worker-web-2"), 1)
    assert run_async(planned_changes(driver)) == {"set pod-deletion costs": 2}


def test_with_dry_run_ghosts_would_only_be_logged(target: Target) -> None:
    """As the spec demands."""
    driver = PipelineDriver(target, GHOSTS.format("true"))
    driver.create_group()
    driver.add(1)
    driver.read("foreign-1", 1)

    async def ghost_planned() -> bool:
        return await planned_changes(driver) == {"log ghosts without removing them": 1}

    run_async(until(ghost_planned, "the idle ghost is planned"))


def test_without_an_answer_from_kubernetes_the_reason_is_printed(target: Target) -> None:
    """Instead of "no ghosts"."""
    driver = PipelineDriver(target, GHOSTS.format("false"))
    driver.create_group()
    driver.add(1)
    driver.read("foreign-1", 1)

    async def reason_given() -> bool:
        plan = await plan_of(driver, UnknownPods())
        return [str(one) for one in plan.changes] == ["cannot find ghosts: no API server  (trial)"]

    run_async(until(reason_given, "the reason is printed for the idle consumer"))


def test_a_key_of_another_type_is_not_a_missing_group(target: Target) -> None:
    """No change is listed, since a round could make none."""
    driver = PipelineDriver(target)
    driver.ask("SET", driver.keys.stream, "something else")
    plan = run_async(plan_of(driver, ExistingPods()))
    assert isinstance(plan.trouble, Refused)
    assert plan.trouble.code == "WRONGTYPE"
    assert plan.changes == ()


def test_a_failure_of_one_pipeline_hides_no_other(repository: Callable[..., JanitorRepository]) -> None:
    """The failure is printed with the pipeline's name, and the exit code is 1."""
    repo = repository("broken", "well")
    repo.drivers["broken"].ask("SET", repo.drivers["broken"].keys.stream, "something else")

    janitor = repo.janitor("--dry-run")

    assert janitor.process.wait(PATIENCE) == 1, janitor.log()
    assert "would create the group  (well: 1)" in janitor.log()
    assert "broken: cannot be checked: Redis refused: WRONGTYPE" in janitor.log()
    assert "one of the pipeline's keys has another type" in janitor.log()


def test_dry_run_changes_no_key(target: Target, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Not even the janitors' lock; the output lists the changes."""
    with Trial(tmp_path_factory.mktemp("trial"), target) as trial:
        driver = PipelineDriver(target)
        create_work(driver)
        before = driver.everything()

        process = trial.start("janitor", "--dry-run", "--redis", target.url)

        assert process.process.wait(PATIENCE) == 0, process.log()
        assert driver.everything() == before
        assert "would take over messages of lost workers  (trial: 4)" in process.log()
        assert driver.owned(PARKED), "a round would have had work"
