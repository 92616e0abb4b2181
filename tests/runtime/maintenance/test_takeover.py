"""Messages of lost workers are taken over, and never those of living ones."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from promises import keep, until
from servers import Server
from stage import LEASE, Clock, Stage
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

        await until(reconnected, "it has connected again")


@asynccontextmanager
async def takeover_trial(stage: Stage) -> AsyncIterator[TakeoverTrial]:
    link, clock = stage.link(), Clock()
    try:
        yield TakeoverTrial(Takeover(link, stage.keys, LEASE, clocks=Clocks(clock)), link, clock)
    finally:
        await link.close()


async def taken_over_after_contact(stage: Stage) -> TakeoverResult:
    async with takeover_trial(stage) as one:
        await one.be_in_contact()
        return await one.run()


def test_lost_consumers_are_taken_over_after_a_lease_of_contact(target: Target) -> None:
    """Not before, and even if nothing else happens. The empty consumer is deleted; living ones are left alone."""
    stage = Stage(target)
    stage.make()
    lost = stage.lost(3)
    stage.add(2)
    living = stage.life("living")
    held = stage.read(living)

    async def promise() -> tuple[list[TakeoverResult], TakeoverResult, TakeoverResult]:
        async with takeover_trial(stage) as one:
            before = await one.be_in_contact()
            assert stage.suspect == []
            return before, await one.run(), await one.run()

    before, taken, after = keep(promise())

    assert before == [TakeoverResult()] * 4
    assert taken == TakeoverResult(suspects=3, removed=1)
    assert after == TakeoverResult()
    assert stage.suspect == lost
    assert stage.owned(living) == held
    assert {name for name in stage.consumers() if not name.startswith("~")} == {living}
    assert stage.listed("ZRANGE", stage.keys.alive, 0, -1) == [living]
    assert {one.deliveries for one in stage.pending().values()} == {1}, "what was delivered counts, and no more"


def test_takeover_goes_page_by_page(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many messages a worker had, and however many workers were lost."""
    monkeypatch.setattr(module, "PAGE", 3)
    stage = Stage(target)
    stage.make()
    lost = [entry for name in "abc" for entry in stage.lost(7, name)]

    assert keep(taken_over_after_contact(stage)) == TakeoverResult(suspects=21, removed=3)
    assert stage.suspect == lost


def test_a_gap_between_answers_resets_the_contact(target: Target) -> None:
    """By the monotonic clock: a process that slept does not know what happened meanwhile."""
    stage = Stage(target)
    stage.make()
    lost = stage.lost(1)

    async def promise() -> None:
        async with takeover_trial(stage) as one:
            await one.be_in_contact()
            one.clock.move(STEP)  # two steps in all: more than a third of the lease
            for _ in range(4):
                assert await one.run() == TakeoverResult()
                one.clock.move(STEP)
            assert await one.run() == TakeoverResult(suspects=1, removed=1)

    keep(promise())
    assert stage.suspect == lost


def test_another_server_resets_the_contact(server: Server) -> None:
    """A restarted Redis has leases from before, which nobody could renew meanwhile."""
    stage = Stage(server)
    stage.make()
    lost = stage.lost(1)

    async def promise() -> None:
        async with takeover_trial(stage) as one:
            await one.be_in_contact()
            before = one.link.connections
            server.restart()
            await one.be_connected_again(before)
            for _ in range(4):
                assert await one.run() == TakeoverResult()
                one.clock.move(STEP)
            assert await one.run() == TakeoverResult(suspects=1, removed=1)

    keep(promise())
    assert stage.suspect == lost


def test_a_new_connection_to_the_same_server_keeps_the_contact(target: Target) -> None:
    """Only whether the server hung counts."""
    stage = Stage(target)
    stage.make()
    lost = stage.lost(1)

    async def promise() -> None:
        async with takeover_trial(stage) as one:
            await one.be_in_contact()
            before = one.link.connections
            for server in target.masters():
                server.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            await one.be_connected_again(before)
            assert await one.run() == TakeoverResult(suspects=1, removed=1)

    keep(promise())
    assert stage.suspect == lost


def test_a_failed_call_resets_the_contact(target: Target) -> None:
    """Whatever the error: what happened meanwhile is unknown."""
    stage = Stage(target)
    stage.make()
    stage.lost(1)

    async def promise() -> None:
        async with takeover_trial(stage) as one:
            await one.be_in_contact()
            stage.ask("RENAME", stage.keys.stream, f"{{{stage.keys.stream}}}:aside")
            with pytest.raises(RedisTrouble):
                await one.run()
            stage.ask("RENAME", f"{{{stage.keys.stream}}}:aside", stage.keys.stream)
            assert await one.run() == TakeoverResult()

    keep(promise())
    assert stage.suspect == []


def test_a_pause_of_redis_loses_no_lease(server: Server) -> None:
    """Redis hangs for longer than a lease, so nobody can renew; afterwards they do, and keep their messages.

    The takeover returns before them, and sees only expired leases.
    """
    lease = 900
    stage = Stage(server)
    stage.make()
    stage.add(3)
    consumer = stage.life(lease=lease)
    held = stage.read(consumer)
    renewed = []

    async def promise() -> None:
        link = stage.link()
        one = Takeover(link, stage.keys, lease)
        result: list[TakeoverResult] = []

        async def sweep_often() -> None:
            while True:
                result.append(await one.run())
                await asyncio.sleep(0.01)

        async def renew_in_time(times: int) -> None:
            for _ in range(times):
                renewed.append(stage.run("renew", [stage.keys.alive], consumer, lease))
                await asyncio.sleep(lease / 3000)

        task = asyncio.create_task(sweep_often())
        try:
            await renew_in_time(6)
            server.pause()
            await asyncio.sleep(1.5 * lease / 1000)
            server.resume()
            before = len(result)
            await until(lambda: len(result) >= before + 3, "the sweeper is back")
            await renew_in_time(6)
        finally:
            task.cancel()
            await asyncio.wait([task])
            await link.close()
        assert set(result) == {TakeoverResult()}

    keep(promise())
    assert renewed == [1] * 12
    assert stage.owned(consumer) == held


def test_a_late_takeover_checks_again(server: Server) -> None:
    """Redis hangs between the list and the takeover, and leases may have been renewed meanwhile."""
    stage = Stage(server)
    stage.make()
    stage.lost(1)
    long_ago = stage.now() - LEASE
    (name,) = (name for name in stage.consumers() if not name.startswith("~"))
    keys = (stage.keys.stream, stage.keys.alive)

    answer = stage.run("take_over", keys, stage.keys.group, LEASE, name, 100, long_ago)

    assert isinstance(answer, list)
    assert answer[0] == "stale"
    assert stage.suspect == []
    assert stage.ask("ZSCORE", stage.keys.alive, name)
    assert float(str(stage.ask("ZSCORE", stage.keys.alive, name))) > 0, "not even marked"


def test_a_worker_that_wakes_between_two_pages_stays_lost(target: Target) -> None:
    """Its lease is marked before the first page: it cannot renew or claim, and settles only what it still owns."""
    stage = Stage(target)
    stage.make()
    sleeper = stage.life(lease=-1)
    ids = stage.add(4)
    stage.read(sleeper)
    around = (stage.keys.stream, stage.keys.alive)

    stage.run("take_over", around, stage.keys.group, LEASE, sleeper, 2, stage.now())
    assert stage.suspect == ids[:2]

    assert stage.run("renew", [stage.keys.alive], sleeper, LEASE) == 0
    assert stage.try_claim(sleeper) == "lost"
    assert stage.settle(sleeper, dict.fromkeys(ids, 1)) == [["~suspect", 1], ["~suspect", 1], 1, 1]
    reply = stage.run("take_over", around, stage.keys.group, LEASE, sleeper, 2, stage.now())
    assert isinstance(reply, list)
    assert reply[0] == "done"
    assert sleeper not in stage.consumers()


def test_simultaneous_takeovers_do_no_harm(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each entry is taken over once."""
    monkeypatch.setattr(module, "PAGE", 2)
    stage = Stage(target)
    stage.make()
    lost = [entry for name in "abcdef" for entry in stage.lost(9, name)]

    async def promise() -> list[TakeoverResult]:
        async with takeover_trial(stage) as first, takeover_trial(stage) as second, takeover_trial(stage) as third:
            for one in (first, second, third):
                await one.be_in_contact()
            return [*await asyncio.gather(first.run(), second.run(), third.run())]

    result = keep(promise())
    assert sum(one.suspects for one in result) == len(lost)
    assert sum(one.removed for one in result) == 6
    assert stage.suspect == lost


def test_a_penstock_consumer_without_a_lease_counts_as_lost(target: Target) -> None:
    """A read that ran after its worker had died created its consumer again: it gets a lease that nobody can renew."""
    stage = Stage(target)
    stage.make()
    lost = stage.add(2)
    stage.read("worker~0123abcd")
    foreign = stage.add(2)
    stage.read("worker-of-another-make")

    async def promise() -> TakeoverResult:
        async with takeover_trial(stage) as one:
            return await one.run()

    assert keep(promise()) == TakeoverResult(adopted=1)
    assert stage.run("renew", [stage.keys.alive], "worker~0123abcd", LEASE) == 0
    stage.ask("ZADD", stage.keys.alive, -(stage.now() - 1), "worker~0123abcd")

    assert keep(taken_over_after_contact(stage)) == TakeoverResult(suspects=2, removed=1)
    assert stage.suspect == lost
    assert stage.owned("worker-of-another-make") == foreign


def test_deleted_entries_are_reported(target: Target) -> None:
    """Redis forgets them in the takeover, or a claim finds out later; nothing stays with the lost consumer."""
    stage = Stage(target)
    stage.make()
    lost = stage.lost(3)
    stage.ask("XDEL", stage.keys.stream, lost[1])

    result = keep(taken_over_after_contact(stage))
    assert (result.suspects + result.lost, result.removed) == (3, 1)
    claimed = stage.claim(stage.life())
    assert result.lost + claimed[0] == 1
    assert len(stage.pending()) == 2


def test_a_consumer_whose_name_is_no_text_is_taken_over(target: Target) -> None:
    """Names are bytes."""
    stage = Stage(target)
    stage.make()
    lost = stage.add(1)
    name = b"\xff\xfe worker~0123abcd"
    stage.ask("XREADGROUP", "GROUP", stage.keys.group, name, "STREAMS", stage.keys.stream, ">")
    stage.ask("ZADD", stage.keys.alive, stage.now() - 1, name)

    assert keep(taken_over_after_contact(stage)) == TakeoverResult(suspects=1, removed=1)
    assert stage.suspect == lost
