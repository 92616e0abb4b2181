"""The intake takes messages while suspects wait that it may not claim."""

import asyncio
from types import SimpleNamespace
from typing import cast

from event_loop import run_async, until
from pipeline_driver import PipelineDriver
from targets import Target

from penstock.clocks import CLOCKS
from penstock.keys import SUSPECT
from penstock.observe.events import Activity
from penstock.pod.lease_term import LeaseTerm
from penstock.wire.errors import RedisTrouble
from penstock.worker.delivery import Delivery
from penstock.worker.intake import Intake
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

    def expired(self, consumer: str) -> None:
        raise AssertionError(consumer)


def test_new_messages_are_read_while_there_is_no_room_for_a_suspect(target: Target) -> None:
    """A suspect runs in a child, and another waits for memory: new messages do not wait with it."""

    async def nothing() -> None:
        """Find no stray."""

    async def not_set_back(delivered: bytes) -> bool:
        raise AssertionError(delivered)

    async def scenario() -> None:
        driver = PipelineDriver(target)
        await driver.round()
        worker = driver.join_group()
        [suspect] = driver.add(1)
        driver.read("lost")
        driver.ask("XCLAIM", driver.keys.stream, driver.keys.group, SUSPECT, 0, suspect, "JUSTID")
        [new] = driver.add(1)
        reader, claimer = driver.link(), driver.link()
        changed = asyncio.Event()
        settler = cast("Settler", SimpleNamespace(unsettled=0, kept=0, kept_dead=0))
        takes = FullOfSuspects()
        spec = driver.pipeline.spec
        intake = Intake(
            reader,
            claimer,
            driver.keys,
            Slots(4, None, settler, CLOCKS, changed),
            takes,
            Observer(),
            block=50,
            max_attempts=5,
            message=spec.message,
            read_size=ReadSize(spec.message.max_size.amount, None),
            emptying_takes=60_000,
            audit=nothing,
            set_back=not_set_back,
            term=LeaseTerm(),
            clocks=CLOCKS,
        )
        intake.consumer_joined(worker)
        await intake.offer(ready=False, suspect=True)
        running = asyncio.create_task(intake.run())
        try:
            await until(lambda: takes.delivered, "the new message is delivered")
            assert takes.delivered == [new.encode()]
        finally:
            await intake.stop(running)
            await reader.close()
            await claimer.close()

    run_async(scenario())
