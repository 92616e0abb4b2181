"""The janitor removes a foreign consumer that is idle and whose pod is known to be gone."""

import logging

import pytest
from event_loop import run_async, until
from logged import events
from pipeline_driver import PipelineDriver, UnknownPods
from targets import Target

from penstock.janitor import ghosts
from penstock.observe.events import Event
from penstock_spec.kinds.pipeline.metrics import janitor, maintenance

pytestmark = pytest.mark.wire

IDLE = "{stream: {foreign_workers: true}, janitor: {ghosts: {idle: 50ms}}}"
NEVER_IDLE = "{stream: {foreign_workers: true}, janitor: {ghosts: {idle: 1h}}}"
DRY = "{stream: {foreign_workers: true}, janitor: {ghosts: {idle: 50ms, dry_run: true}}}"


class ExistingPods:
    """Pods that exist; counts the calls."""

    def __init__(self, *names: str) -> None:
        self._names = frozenset(names)
        self.calls = 0

    def names(self) -> frozenset[str]:
        self.calls += 1
        return self._names

    def set_cost(self, pod: str, cost: int) -> None:
        raise AssertionError((pod, cost))


def foreign_consumer(driver: PipelineDriver, name: str, count: int) -> list[str]:
    """An idle foreign consumer with messages."""
    driver.add(count)
    return driver.read(name, count)


async def all_idle_for(driver: PipelineDriver, seconds: float = 0.05) -> None:
    """Wait until every consumer has been idle for this long."""

    def all_idle() -> bool:
        consumers = driver.listed("XINFO", "CONSUMERS", driver.keys.stream, driver.keys.group)
        rows = [dict(zip(one[::2], one[1::2], strict=True)) for one in consumers]
        return all(row["idle"] >= seconds * 1000 for row in rows if not row["name"].startswith("~"))

    await until(all_idle, "every consumer is idle")


def test_a_ghost_is_emptied_and_removed(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its messages run isolated, as after any lost worker; consumers of existing pods stay."""
    monkeypatch.setattr(ghosts, "PAGE", 3)
    driver = PipelineDriver(target, IDLE)
    driver.create_group()
    held = foreign_consumer(driver, "worker-web-abc12-1", 8)
    others = foreign_consumer(driver, "worker-web-def34-1", 2)
    run_async(all_idle_for(driver))

    run_async(driver.round(pods=ExistingPods("web-def34", "janitor-1")))

    assert driver.suspect == held
    assert driver.owned("worker-web-def34-1") == others
    assert "worker-web-abc12-1" not in driver.consumers()
    assert driver.counted(janitor.GHOSTS_REMOVED) == 1
    assert driver.counted(janitor.GHOSTS) == 0
    assert driver.counted(maintenance.TAKEN_OVER) == 8


def test_without_an_answer_from_kubernetes_all_pods_count_as_alive(target: Target) -> None:
    """The failure is counted and logged; the other tasks of the round go on."""
    driver = PipelineDriver(target, IDLE)
    driver.create_group()
    held = foreign_consumer(driver, "worker-1", 2)
    run_async(all_idle_for(driver))

    async def scenario() -> None:
        async with driver.janitor(pods=UnknownPods()) as rounds:
            assert not await rounds.make()

    run_async(scenario())
    assert driver.owned("worker-1") == held
    assert driver.counted(janitor.JANITOR_ERRORS, "ghosts") == 1
    assert driver.counted(janitor.JANITOR_LAST_PASS) == 0


def test_an_active_consumer_is_no_ghost(target: Target) -> None:
    """Even without a pod of its name; Kubernetes is not called."""
    driver = PipelineDriver(target, NEVER_IDLE)
    driver.create_group()
    held = foreign_consumer(driver, "worker-1", 2)
    pods = ExistingPods("janitor-1")

    run_async(driver.round(pods=pods))

    assert driver.owned("worker-1") == held
    assert pods.calls == 0


def test_a_consumer_that_becomes_active_before_its_removal_stays(target: Target) -> None:
    """The script checks the idle time again."""
    driver = PipelineDriver(target, NEVER_IDLE)
    driver.create_group()
    held = foreign_consumer(driver, "worker-1", 2)
    keys = (driver.keys.stream, driver.keys.alive)

    assert driver.run("remove_ghost", keys, driver.keys.group, "worker-1", 3_600_000, 100) == ["busy", 0, 0]
    assert driver.owned("worker-1") == held
    assert driver.run("remove_ghost", keys, driver.keys.group, "worker-2", 0, 100) == ["none", 0, 0]


def test_penstock_workers_are_no_ghosts(target: Target) -> None:
    """However idle; they are taken over when their lease expires."""
    driver = PipelineDriver(target, IDLE)
    driver.create_group()
    unusual_name = "an-old-name"
    driver.ask("XGROUP", "CREATECONSUMER", driver.keys.stream, driver.keys.group, unusual_name)
    driver.ask("ZADD", driver.keys.alive, driver.now() + 60_000, unusual_name)
    worker = driver.join_group()
    driver.add(1)
    held = driver.read(worker)
    run_async(all_idle_for(driver))

    run_async(driver.round(pods=ExistingPods("janitor-1")))

    assert driver.owned(worker) == held
    assert {worker, unusual_name} <= set(driver.consumers())
    keys = (driver.keys.stream, driver.keys.alive)
    assert driver.run("remove_ghost", keys, driver.keys.group, worker, 0, 100) == ["busy", 0, 0]


def test_a_dry_run_of_ghosts_only_logs(target: Target, caplog: pytest.LogCaptureFixture) -> None:
    """With the number of messages that the ghost holds."""
    driver = PipelineDriver(target, DRY)
    driver.create_group()
    held = foreign_consumer(driver, "worker-1", 2)
    run_async(all_idle_for(driver))

    with caplog.at_level(logging.WARNING):
        run_async(driver.round(pods=ExistingPods("janitor-1")))

    assert driver.owned("worker-1") == held
    assert driver.counted(janitor.GHOSTS) == 1
    assert driver.counted(janitor.GHOSTS_REMOVED) == 0
    assert events(caplog) == [Event.GHOST_FOUND]


def test_an_empty_ghost_is_removed_too(target: Target) -> None:
    """Also one whose name is not UTF-8."""
    driver = PipelineDriver(target, IDLE)
    driver.create_group()
    driver.ask("XGROUP", "CREATECONSUMER", driver.keys.stream, driver.keys.group, b"\xff\x00 worker")
    run_async(all_idle_for(driver))

    run_async(driver.round(pods=ExistingPods("janitor-1")))

    assert driver.consumers() == []
