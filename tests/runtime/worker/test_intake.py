"""The intake takes messages while suspects wait that it may not claim."""

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, cast

from event_loop import run_async, until
from pipeline_driver import PipelineDriver
from targets import Target

from penstock.clocks import CLOCKS, Clocks
from penstock.keys import SUSPECT
from penstock.observe.events import Activity
from penstock.pod.lease_term import LeaseTerm
from penstock.wire.errors import RedisTrouble, Reply
from penstock.wire.link import Link
from penstock.worker.delivery import Delivery
from penstock.worker.intake import DeliveryTarget, Intake
from penstock.worker.read_ahead import PAUSE, TRIAL
from penstock.worker.read_size import ReadSize
from penstock.worker.settler import Settler
from penstock.worker.slots import Slots


class FullOfSuspects:
    """A worker that runs a suspect in a child process, and whose memory has no room for another."""

    suspects, most_suspects, alone, has_abandoned = 1, 8, 0, False

    def __init__(self) -> None:
        self.delivered: list[bytes] = []

    def room_for_suspects(self) -> int:
        return 0

    def deliver(self, delivery: Delivery, *, alone: bool = False) -> None:
        assert not alone
        self.delivered.append(delivery.id)

    def observe_wait(self, oldest: bytes, entries: int) -> None:
        """Ignore it."""

    def entries_deleted(self, entries: int) -> None:
        raise AssertionError(entries)

    def group_gone(self, consumer: str) -> None:
        raise AssertionError(consumer)


class Observer:
    """Redis works."""

    def trouble(self, activity: Activity, error: RedisTrouble) -> None:
        raise AssertionError(activity) from error

    def works(self, activity: Activity) -> None:
        """Ignore it."""


class Instant:
    """A worker whose handlers never wait: what it takes ends in the next round of the event loop."""

    suspects, most_suspects, alone, has_abandoned = 0, 8, 0, False

    def __init__(self, slots: Slots) -> None:
        self.slots = slots
        self.reads: list[int] = []

    def room_for_suspects(self) -> int:
        raise AssertionError

    def deliver(self, delivery: Delivery, *, alone: bool = False) -> None:
        assert not alone
        assert delivery.fields
        self.slots.running += 1
        assert self.slots.free >= 0
        asyncio.get_running_loop().call_soon(self.slots.release)

    def observe_wait(self, oldest: bytes, entries: int) -> None:
        assert oldest
        self.reads.append(entries)

    def entries_deleted(self, entries: int) -> None:
        raise AssertionError(entries)

    def group_gone(self, consumer: str) -> None:
        raise AssertionError(consumer)


NOTHING_TO_SETTLE = cast("Settler", SimpleNamespace(unsettled=0, kept=0, kept_dead=0))


async def not_set_back(delivered: bytes) -> bool:
    raise AssertionError(delivered)


def intake_of(
    driver: PipelineDriver,
    takes: DeliveryTarget,
    slots: Slots,
    clocks: Clocks = CLOCKS,
    set_back: Callable[[bytes], Awaitable[bool]] = not_set_back,
) -> tuple[Intake, tuple[Link, Link]]:
    """An intake, and its two links."""

    async def nothing() -> None:
        """Find no stray."""

    def not_expired(consumer: str) -> None:
        raise AssertionError(consumer)

    message = driver.pipeline.spec.message
    reader, claimer = driver.link(), driver.link()
    intake = Intake(
        reader,
        claimer,
        driver.keys,
        slots,
        takes,
        Observer(),
        not_expired,
        block=50,
        max_attempts=5,
        message=message,
        read_size=ReadSize(1000, None),
        emptying_takes=60_000,
        audit=nothing,
        set_back=set_back,
        term=LeaseTerm(),
        clocks=clocks,
    )
    return intake, (reader, claimer)


class ReadsSeen:
    """What a link was asked to read, and how many messages ran then."""

    def __init__(self, link: Link, slots: Slots) -> None:
        self.seen: list[tuple[int, int]] = []
        self._call = link.call
        self._slots = slots
        link.call = self.call  # type: ignore[method-assign]

    async def call(self, *words: Any, **bounds: Any) -> Reply:  # noqa: ANN401 - those of `Link.call`
        if words[0] == "XREADGROUP":
            self.seen.append((int(words[5]), self._slots.running))
        return await self._call(*words, **bounds)


async def reads_of(target: Target, messages: int, clocks: Clocks) -> list[tuple[int, int]]:
    """Read messages that wait, with 12 slots; return the reads, with the one that finds no more."""
    driver = PipelineDriver(target)
    await driver.round()
    worker = driver.join_group()
    driver.add(messages)
    slots = Slots(12, None, NOTHING_TO_SETTLE, clocks, asyncio.Event())
    takes = Instant(slots)
    intake, links = intake_of(driver, takes, slots, clocks)
    reads = ReadsSeen(links[0], slots)
    intake.consumer_joined(worker)
    running = asyncio.create_task(intake.run())
    try:
        await until(lambda: sum(takes.reads) == messages, "all messages are read")
        await until(lambda: len(reads.seen) > len(takes.reads), "the next read is sent")
        return reads.seen
    finally:
        await intake.stop(running)
        await asyncio.gather(*(link.close() for link in links))


def test_half_of_the_slots_are_filled_while_the_other_half_runs(target: Target) -> None:
    """The first read fills all slots, and so does the one after a read that was not filled."""
    busy = Clocks(cpu=CLOCKS.monotonic)
    seen = run_async(reads_of(target, 12 + 5 * 6 + 3, busy))
    assert seen[:8] == [(12, 0), (6, 0), (6, 6), (6, 6), (6, 6), (6, 6), (6, 6), (9, 3)]


def test_a_worker_without_work_meanwhile_reads_for_all_slots(target: Target) -> None:
    """Two round trips for half of the slots each would take longer than one for all. It tries again later."""
    idle = Clocks(cpu=lambda: 0.0)
    seen = run_async(reads_of(target, 12 + 6 + TRIAL * 6 + PAUSE * 12 + 12, idle))
    halves = [(6, 0), *[(6, 6)] * TRIAL]
    assert seen[: 1 + len(halves) + PAUSE + 1] == [(12, 0), *halves, *[(12, 0)] * PAUSE, (6, 0)]


def test_an_entry_is_not_forgotten_that_a_promotion_noted_during_a_read(target: Target) -> None:
    """A read that returns earlier entries must not hide that later ones were delivered, or a set-back goes unseen."""

    async def scenario() -> None:
        driver = PipelineDriver(target)
        await driver.round()
        worker = driver.join_group()
        _, _, last = (entry.encode() for entry in driver.add(3))
        slots = Slots(1, None, NOTHING_TO_SETTLE, CLOCKS, asyncio.Event())
        noticed: list[bytes] = []

        async def set_back(delivered: bytes) -> bool:
            noticed.append(delivered)
            return True

        intake, links = intake_of(driver, Instant(slots), slots, set_back=set_back)
        call = links[0].call

        async def call_during_a_promotion(*words: Any, **bounds: Any) -> Reply:  # noqa: ANN401 - those of `Link.call`
            reply = await call(*words, **bounds)
            if words[0] == "XREADGROUP":
                intake.was_delivered(last)
            return reply

        links[0].call = call_during_a_promotion  # type: ignore[method-assign]
        intake.consumer_joined(worker)
        running = asyncio.create_task(intake.run())
        try:
            await until(lambda: noticed, "the second entry is noticed")
            assert noticed[0] == last
        finally:
            await intake.stop(running)
            await asyncio.gather(*(link.close() for link in links))

    run_async(scenario())


def test_new_messages_are_read_while_there_is_no_room_for_a_suspect(target: Target) -> None:
    """A suspect runs in a child, and another waits for memory: new messages do not wait with it."""

    async def scenario() -> None:
        driver = PipelineDriver(target)
        await driver.round()
        worker = driver.join_group()
        [suspect] = driver.add(1)
        driver.read("lost")
        driver.ask("XCLAIM", driver.keys.stream, driver.keys.group, SUSPECT, 0, suspect, "JUSTID")
        [new] = driver.add(1)
        takes = FullOfSuspects()
        slots = Slots(4, None, NOTHING_TO_SETTLE, CLOCKS, asyncio.Event())
        intake, links = intake_of(driver, takes, slots)
        intake.consumer_joined(worker)
        await intake.offer(ready=False, suspect=True)
        running = asyncio.create_task(intake.run())
        try:
            await until(lambda: takes.delivered, "the new message is delivered")
            assert takes.delivered == [new.encode()]
        finally:
            await intake.stop(running)
            await asyncio.gather(*(link.close() for link in links))

    run_async(scenario())
