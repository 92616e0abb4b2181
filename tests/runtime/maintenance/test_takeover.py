"""A takeover moves the messages of lost workers, and never those of living ones."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from event_loop import run_async, until
from pipeline_driver import LEASE, Clock, PipelineDriver
from servers import Server
from targets import Target

from penstock.clocks import Clocks
from penstock.maintenance import takeover as module
from penstock.maintenance.takeover import Takeover, TakeoverResult
from penstock.wire.errors import RedisTrouble
from penstock.wire.link import Link

STEP = LEASE / 1000 / 4
"""Seconds between two passes: less than a third of the lease."""


@dataclass
class TakeoverTrial:
    """A takeover with its own connection and clock."""

    takeover: Takeover
    link: Link
    clock: Clock

    async def run(self) -> TakeoverResult:
        return await self.takeover.run()

    async def be_in_contact(self) -> list[TakeoverResult]:
        """Run passes for one lease; return all but the last."""
        passes = []
        for _ in range(4):
            passes.append(await self.run())
            self.clock.move(STEP)
        return passes

    async def be_connected_again(self, before: int) -> None:
        """Wait for a new connection."""

        async def reconnected() -> bool:
            with contextlib.suppress(RedisTrouble):
                await self.link.call("PING")
            return self.link.connections > before

        await until(reconnected, "the link has connected again")


@asynccontextmanager
async def takeover_trial(driver: PipelineDriver) -> AsyncIterator[TakeoverTrial]:
    link, clock = driver.link(), Clock()
    try:
        yield TakeoverTrial(Takeover(link, driver.keys, LEASE, clocks=Clocks(clock)), link, clock)
    finally:
        await link.close()


async def taken_over_after_contact(driver: PipelineDriver) -> TakeoverResult:
    async with takeover_trial(driver) as one:
        await one.be_in_contact()
        return await one.run()


def test_lost_consumers_are_taken_over_after_a_lease_of_contact(target: Target) -> None:
    """No event triggers it. The takeover deletes the empty consumer, and leaves living ones alone."""
    driver = PipelineDriver(target)
    driver.create_group()
    lost = driver.lost(3)
    driver.add(2)
    living = driver.join_group("living")
    held = driver.read(living)

    async def scenario() -> tuple[list[TakeoverResult], TakeoverResult, TakeoverResult]:
        async with takeover_trial(driver) as one:
            before = await one.be_in_contact()
            assert driver.suspect == []
            return before, await one.run(), await one.run()

    before, taken, after = run_async(scenario())

    assert before == [TakeoverResult()] * 4
    assert taken == TakeoverResult(suspects=3, removed=1)
    assert after == TakeoverResult()
    assert driver.suspect == lost
    assert driver.owned(living) == held
    assert {name for name in driver.consumers() if not name.startswith("~")} == {living}
    assert driver.listed("ZRANGE", driver.keys.alive, 0, -1) == [living]
    assert {one.deliveries for one in driver.pending().values()} == {1}, "the takeover adds no delivery"


def test_takeover_goes_page_by_page(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """A takeover moves all messages of all lost workers, in small pages."""
    monkeypatch.setattr(module, "PAGE", 3)
    driver = PipelineDriver(target)
    driver.create_group()
    lost = [entry for name in "abc" for entry in driver.lost(7, name)]

    assert run_async(taken_over_after_contact(driver)) == TakeoverResult(suspects=21, removed=3)
    assert driver.suspect == lost


def test_a_gap_between_answers_resets_the_contact(target: Target) -> None:
    """The monotonic clock decides: a suspended process does not know what happened meanwhile."""
    driver = PipelineDriver(target)
    driver.create_group()
    lost = driver.lost(1)

    async def scenario() -> None:
        async with takeover_trial(driver) as one:
            await one.be_in_contact()
            one.clock.move(STEP)  # two steps in all: more than a third of the lease
            for _ in range(4):
                assert await one.run() == TakeoverResult()
                one.clock.move(STEP)
            assert await one.run() == TakeoverResult(suspects=1, removed=1)

    run_async(scenario())
    assert driver.suspect == lost


def test_another_server_resets_the_contact(server: Server) -> None:
    """A restarted Redis has old leases, which no worker could renew meanwhile."""
    driver = PipelineDriver(server)
    driver.create_group()
    lost = driver.lost(1)

    async def scenario() -> None:
        async with takeover_trial(driver) as one:
            await one.be_in_contact()
            before = one.link.connections
            server.restart()
            await one.be_connected_again(before)
            for _ in range(4):
                assert await one.run() == TakeoverResult()
                one.clock.move(STEP)
            assert await one.run() == TakeoverResult(suspects=1, removed=1)

    run_async(scenario())
    assert driver.suspect == lost


def test_a_new_connection_to_the_same_server_keeps_the_contact(target: Target) -> None:
    """Only a pause of the server matters."""
    driver = PipelineDriver(target)
    driver.create_group()
    lost = driver.lost(1)

    async def scenario() -> None:
        async with takeover_trial(driver) as one:
            await one.be_in_contact()
            before = one.link.connections
            for server in target.masters():
                server.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            await one.be_connected_again(before)
            assert await one.run() == TakeoverResult(suspects=1, removed=1)

    run_async(scenario())
    assert driver.suspect == lost


def test_a_failed_call_resets_the_contact(target: Target) -> None:
    """After any error, it is unknown what happened meanwhile."""
    driver = PipelineDriver(target)
    driver.create_group()
    driver.lost(1)

    async def scenario() -> None:
        async with takeover_trial(driver) as one:
            await one.be_in_contact()
            driver.ask("RENAME", driver.keys.stream, f"{{{driver.keys.stream}}}:aside")
            with pytest.raises(RedisTrouble):
                await one.run()
            driver.ask("RENAME", f"{{{driver.keys.stream}}}:aside", driver.keys.stream)
            assert await one.run() == TakeoverResult()

    run_async(scenario())
    assert driver.suspect == []


def test_a_pause_of_redis_loses_no_lease(server: Server) -> None:
    """Redis hangs for longer than a lease; afterwards workers renew it and keep their messages.

    The takeover runs again before they renew, and sees only expired leases.
    """
    lease = 900
    driver = PipelineDriver(server)
    driver.create_group()
    driver.add(3)
    consumer = driver.join_group(lease=lease)
    held = driver.read(consumer)
    renewed = []

    async def scenario() -> None:
        link = driver.link()
        one = Takeover(link, driver.keys, lease)
        result: list[TakeoverResult] = []

        async def run_often() -> None:
            while True:
                result.append(await one.run())
                await asyncio.sleep(0.01)

        async def renew_in_time(times: int) -> None:
            for _ in range(times):
                renewed.append(driver.run("renew", [driver.keys.alive], consumer, lease))
                await asyncio.sleep(lease / 3000)

        task = asyncio.create_task(run_often())
        try:
            await renew_in_time(6)
            server.pause()
            await asyncio.sleep(1.5 * lease / 1000)
            server.resume()
            before = len(result)
            await until(lambda: len(result) >= before + 3, "the takeover runs again")
            await renew_in_time(6)
        finally:
            task.cancel()
            await asyncio.wait([task])
            await link.close()
        assert set(result) == {TakeoverResult()}

    run_async(scenario())
    assert renewed == [1] * 12
    assert driver.owned(consumer) == held


def test_a_late_takeover_checks_again(server: Server) -> None:
    """When Redis hangs between the list and the takeover, leases may have been renewed meanwhile."""
    driver = PipelineDriver(server)
    driver.create_group()
    driver.lost(1)
    long_ago = driver.now() - LEASE
    (name,) = (name for name in driver.consumers() if not name.startswith("~"))
    keys = (driver.keys.stream, driver.keys.alive, driver.keys.crashed)

    answer = driver.run("take_over", keys, driver.keys.group, LEASE, name, 100, long_ago, 1)

    assert isinstance(answer, list)
    assert answer[0] == "stale"
    assert driver.suspect == []
    assert driver.ask("ZSCORE", driver.keys.alive, name)
    assert float(str(driver.ask("ZSCORE", driver.keys.alive, name))) > 0, "the lease is not marked"


def test_a_worker_that_resumes_between_two_pages_stays_lost(target: Target) -> None:
    """Its lease is marked before the first page: it cannot renew or claim, and settles only what it still owns."""
    driver = PipelineDriver(target)
    driver.create_group()
    sleeper = driver.join_group(lease=-1)
    ids = driver.add(4)
    driver.read(sleeper)
    around = (driver.keys.stream, driver.keys.alive, driver.keys.crashed)

    driver.run("take_over", around, driver.keys.group, LEASE, sleeper, 2, driver.now(), 1)
    assert driver.suspect == ids[:2]

    assert driver.run("renew", [driver.keys.alive], sleeper, LEASE) == 0
    assert driver.try_claim(sleeper) == "lost"
    assert driver.settle(sleeper, dict.fromkeys(ids, 1)) == [["~suspect", 1], ["~suspect", 1], 1, 1]
    reply = driver.run("take_over", around, driver.keys.group, LEASE, sleeper, 2, driver.now(), 1)
    assert isinstance(reply, list)
    assert reply[0] == "done"
    assert sleeper not in driver.consumers()


def test_simultaneous_takeovers_do_no_harm(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each entry is taken over once."""
    monkeypatch.setattr(module, "PAGE", 2)
    driver = PipelineDriver(target)
    driver.create_group()
    lost = [entry for name in "abcdef" for entry in driver.lost(9, name)]

    async def scenario() -> list[TakeoverResult]:
        async with takeover_trial(driver) as first, takeover_trial(driver) as second, takeover_trial(driver) as third:
            for one in (first, second, third):
                await one.be_in_contact()
            return [*await asyncio.gather(first.run(), second.run(), third.run())]

    result = run_async(scenario())
    assert sum(one.suspects for one in result) == len(lost)
    assert sum(one.removed for one in result) == 6
    assert driver.suspect == lost


def test_a_penstock_consumer_without_a_lease_counts_as_lost(target: Target) -> None:
    """A late read of a dead worker creates its consumer again: the consumer gets a lease that cannot be renewed."""
    driver = PipelineDriver(target)
    driver.create_group()
    lost = driver.add(2)
    driver.read("worker~0123abcd")
    foreign = driver.add(2)
    driver.read("foreign-worker")

    async def scenario() -> TakeoverResult:
        async with takeover_trial(driver) as one:
            return await one.run()

    assert run_async(scenario()) == TakeoverResult(adopted=1)
    assert driver.run("renew", [driver.keys.alive], "worker~0123abcd", LEASE) == 0
    driver.ask("ZADD", driver.keys.alive, -(driver.now() - 1), "worker~0123abcd")

    assert run_async(taken_over_after_contact(driver)) == TakeoverResult(suspects=2, removed=1)
    assert driver.suspect == lost
    assert driver.owned("foreign-worker") == foreign


def test_deleted_entries_are_reported(target: Target) -> None:
    """Redis drops them in the takeover, or a later claim notices; nothing stays with the lost consumer."""
    driver = PipelineDriver(target)
    driver.create_group()
    lost = driver.lost(3)
    driver.ask("XDEL", driver.keys.stream, lost[1])

    result = run_async(taken_over_after_contact(driver))
    assert (result.suspects + result.lost, result.removed) == (3, 1)
    claimed = driver.claim(driver.join_group())
    assert result.lost + claimed[0] == 1
    assert len(driver.pending()) == 2


def test_a_consumer_whose_name_is_no_text_is_taken_over(target: Target) -> None:
    """Names of consumers are bytes."""
    driver = PipelineDriver(target)
    driver.create_group()
    lost = driver.add(1)
    name = b"\xff\xfe worker~0123abcd"
    driver.ask("XREADGROUP", "GROUP", driver.keys.group, name, "STREAMS", driver.keys.stream, ">")
    driver.ask("ZADD", driver.keys.alive, driver.now() - 1, name)

    assert run_async(taken_over_after_contact(driver)) == TakeoverResult(suspects=1, removed=1)
    assert driver.suspect == lost
