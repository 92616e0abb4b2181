"""One of several janitors is leader, and another takes its place; two leaders at once do no harm."""

import asyncio
import math

import pytest
from event_loop import run_async, until
from pipeline_driver import PipelineDriver, UnknownPods
from targets import Target

from penstock.clocks import Clocks
from penstock.janitor import leader_lock
from penstock.janitor.janitor import Janitor
from penstock.janitor.leader_lock import LeaderLock, lock_of
from penstock.janitor.metrics import JanitorMetrics
from penstock.keys import PipelineKeys
from penstock_spec.kinds.pipeline.metrics import janitor, stream

pytestmark = pytest.mark.wire

HISTORY = "{stream: {foreign_workers: true, retention: {keep: {length: 5}}}, janitor: {ghosts: {idle: 1ms}}}"
KEY = "penstock:janitor:dev:test"


def test_the_first_janitor_leads_until_it_gives_up(target: Target) -> None:
    """It may renew again and again; then the next becomes leader at once."""
    driver = PipelineDriver(target)

    async def scenario() -> None:
        link = target.link(KEY)
        first, second = LeaderLock(link, KEY), LeaderLock(link, KEY)
        assert [await first.take(), await second.take(), await first.take()] == [True, False, True]
        await second.give_up()
        assert await first.take(), "only the holder can give the lock up"
        await first.give_up()
        assert [await second.take(), await first.take()] == [True, False]
        await link.close()

    run_async(scenario())
    assert 0 < driver.number("PTTL", KEY) <= leader_lock.EXPIRES_AFTER


def test_a_standby_becomes_leader_when_the_lock_expires(target: Target) -> None:
    """Its holder was killed and cannot give it up."""
    driver = PipelineDriver(target)

    async def scenario() -> None:
        link = target.link(KEY)
        first, second = LeaderLock(link, KEY), LeaderLock(link, KEY)
        assert await first.take()
        driver.ask("PEXPIRE", KEY, 50)
        await until(second.take, "the standby holds the lock")
        assert not await first.take()
        await link.close()

    run_async(scenario())


def test_janitors_of_other_pipelines_have_another_leader() -> None:
    """Two repositories on one Redis may both have `production`; pods with new specs start before old ones stop."""
    one, other = PipelineKeys.at("a", "g", "d"), PipelineKeys.at("b", "g", "d")
    assert lock_of("production", [one, other]) == lock_of("production", [other, one])
    others = [lock_of("production", [one]), lock_of("production", [other]), lock_of("dev", [one])]
    assert len({lock_of("production", [one, other]), *others}) == 4


class LosingLead:
    """Existing pods; while they are listed, another janitor becomes leader."""

    def __init__(self, metrics: JanitorMetrics) -> None:
        self._metrics = metrics

    def names(self) -> frozenset[str]:
        self._metrics.lead(ours=False)
        return frozenset({"janitor-1"})

    def set_cost(self, pod: str, cost: int) -> None:
        raise AssertionError((pod, cost))


def test_a_round_that_ends_as_standby_exports_nothing(target: Target) -> None:
    """Its work is counted; only the new leader exports measurements, or they would count twice."""
    driver = PipelineDriver(target, HISTORY)
    driver.create_group()
    driver.add(1)
    driver.read("foreign-1", 1)
    metrics = driver.janitor_metrics()

    async def scenario() -> None:
        links = driver.links()
        rounds = driver.rounds(links, pods=LosingLead(metrics), metrics=metrics)
        await until(lambda: idle(driver) >= 1, "the foreign consumer is idle")
        assert await rounds.make()
        assert driver.counted(janitor.GHOSTS_REMOVED) == 1
        assert math.isnan(driver.counted(janitor.GHOSTS))
        rounds.start_over()
        assert await rounds.make()
        await links.close()

    run_async(scenario())
    assert math.isnan(driver.counted(janitor.TRIM_HELD_BACK, driver.keys.group))


def idle(driver: PipelineDriver) -> int:
    (consumer,) = driver.listed("XINFO", "CONSUMERS", driver.keys.stream, driver.keys.group)
    milliseconds: int = dict(zip(consumer[::2], consumer[1::2], strict=True))["idle"]
    return milliseconds


def test_a_janitor_that_leads_again_exports_again(target: Target) -> None:
    """Soon all measurements, also those of an hourly task; as standby they are NaN."""
    driver = PipelineDriver(target, HISTORY)
    driver.create_group()
    group = driver.keys.group

    def exported() -> list[float]:
        return [
            driver.counted(janitor.GHOSTS),
            driver.counted(janitor.TRIM_HELD_BACK, group),
            driver.counted(stream.STREAM_LENGTH),
        ]

    async def scenario() -> None:
        links, stop = driver.links(), asyncio.Event()
        clocks = Clocks(sleep=lambda seconds: asyncio.sleep(seconds / 100))
        janitor = Janitor([driver.pipeline], links, driver.collector, UnknownPods(), clocks)
        running = asyncio.create_task(janitor.run(stop))
        await until(lambda: exported() == [0, 0, 0], "the leader exports its measurements")
        driver.ask("SET", links.lock, "another", "PX", 60_000)
        await until(lambda: all(map(math.isnan, exported())), "the measurements of a standby are NaN")
        driver.ask("DEL", links.lock)
        await until(lambda: exported() == [0, 0, 0], "the leader exports its measurements again")
        stop.set()
        await running

    run_async(scenario())
