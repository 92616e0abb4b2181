"""The ways in: new messages by a blocking read, ready ones and suspects by claims.

One at a time, so that no more is taken than there are free slots; what is delivered is started.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, cast

from penstock.clocks import Clocks
from penstock.keys import READY, SUSPECT, PipelineKeys
from penstock.maintenance.replies import without_group
from penstock.observe.events import Activity
from penstock.scripts import script
from penstock.wire.errors import RedisTrouble, Refused, Reply
from penstock.wire.link import Link
from penstock.worker.delivery import Delivery
from penstock.worker.slots import Slots

MOST_CLAIMED = 50
"""A claim takes Redis far longer than a read."""
MOST_SUSPECTS = 4
"""Suspects that run at once: each is a process of its own."""
FIRST_WAIT, LONGEST_WAIT = 0.05, 1.0
UNBLOCK_AGAIN = 0.05


class DeliveryTarget(Protocol):
    """Where deliveries are brought."""

    suspects: int
    """Suspects that run here now."""
    alone: int
    """Those of them that must have no company."""

    @property
    def lingers(self) -> bool:
        """Whether a handler goes on after its time."""

    def deliver(self, delivery: Delivery, *, alone: bool = False) -> None:
        """It is this worker's."""

    def waited(self, oldest: bytes, entries: int) -> None:
        """So many new ones were delivered, the oldest first."""

    def unclaimed(self, entries: int) -> None:
        """Entries could not be claimed: somebody had deleted them from the stream."""

    def group_gone(self, consumer: str) -> None:
        """The group is not there, so this consumer's life is over."""


class RedisObserver(Protocol):
    """Who wants to know how Redis answers."""

    def trouble(self, activity: Activity, error: RedisTrouble) -> None:
        """It did not as it should."""

    def works(self, activity: Activity) -> None:
        """It does again."""


class Intake:
    """Reads and claims while there are free slots."""

    def __init__(  # noqa: PLR0913, PLR0917 - what it works with, each of a kind of its own
        self,
        reader: Link,
        claimer: Link,
        keys: PipelineKeys,
        slots: Slots,
        target: DeliveryTarget,
        reach: RedisObserver,
        *,
        block: int,
        attempts: int,
        emptying_takes: int,
        audit: Callable[[], Awaitable[None]],
        clocks: Clocks,
    ) -> None:
        """`block` is in milliseconds, and so is the longest time that emptying this worker takes.

        `audit` gives back what this worker owns and does not run.
        """
        self._reader = reader
        self._claimer = claimer
        self._keys = keys
        self._slots = slots
        self._target = target
        self._reach = reach
        self._block = block
        self._attempts = attempts
        self._emptying_takes = emptying_takes
        self._audit = audit
        self._sleep = clocks.sleep
        self._reading = False
        self._stopping = False
        self._unsure = False
        self._ready = self._suspect = False
        self._emptying = False
        self._activity = Activity.READING
        self._troubled: set[Activity] = set()
        self.at_work = asyncio.Lock()
        """Held while an answer may be on its way."""
        self.consumer: str | None = None
        """This worker's present life; nothing while it has none."""

    def begin(self, consumer: str) -> None:
        """A life has begun."""
        self.consumer = consumer
        self._slots.changed.set()

    def end(self, consumer: str) -> None:
        """A life is over; nothing is taken under its name any more."""
        if self.consumer == consumer:
            self.consumer = None

    async def offer(self, *, ready: bool, suspect: bool) -> None:
        """What there is to claim, as somebody saw.

        A claim beside a blocked read would take more than the free slots, so the read is unblocked first.
        """
        self._ready, self._suspect = ready, suspect
        if self._emptying and (not suspect or self._is_stuck()):  # another worker has it, or is to; or nobody any more
            self._emptying = False
            self._slots.changed.set()
        if self._claimable():
            self._slots.changed.set()
            await self._unblock()

    async def stop(self, intake: asyncio.Task[None]) -> None:
        """Take nothing more. The answer of a read that is on its way is awaited."""
        self._stopping = True
        self._slots.changed.set()
        while not intake.done():
            await self._unblock()
            await asyncio.wait({intake}, timeout=UNBLOCK_AGAIN)

    async def _unblock(self) -> None:
        if self._reading and self._reader.client_id is not None:
            try:
                await self._claimer.call("CLIENT", "UNBLOCK", self._reader.client_id)
            except RedisTrouble as error:
                self._trouble(Activity.UNBLOCKING, error)
            else:
                self._works(Activity.UNBLOCKING)

    async def run(self) -> None:
        """Until stopped."""
        wait = FIRST_WAIT
        while not self._stopping:
            consumer = await self._room()
            if consumer is None:
                break
            try:
                if self._unsure:
                    await self._ask()
                async with self.at_work:
                    await self._take(consumer)
                self._works(self._activity)
                wait = FIRST_WAIT
            except RedisTrouble as error:
                # What was sent may have happened: before anything else is taken, we ask what we own.
                self._unsure = True
                self._trouble(self._activity, error)
                if isinstance(error, Refused) and without_group(error):
                    self._target.group_gone(consumer)
                await self._sleep(wait)
                wait = min(2 * wait, LONGEST_WAIT)
        if self._unsure:
            await self._ask_and_go()

    async def _ask_and_go(self) -> None:
        """What a failed read brought is given back, or it would count as an attempt. Once: we are about to leave."""
        try:
            await self._ask()
        except RedisTrouble as error:
            self._trouble(Activity.AUDITING, error)

    async def _ask(self) -> None:
        self._activity = Activity.AUDITING
        await self._audit()
        self._unsure = False
        self._works(Activity.AUDITING)

    def _trouble(self, activity: Activity, error: RedisTrouble) -> None:
        self._troubled.add(activity)
        self._reach.trouble(activity, error)

    def _works(self, activity: Activity) -> None:
        if activity in self._troubled:
            self._troubled.discard(activity)
            self._reach.works(activity)

    async def _room(self) -> str | None:
        """Wait for a life and for room; nothing when it is time to stop."""
        while not self._stopping:
            self._slots.changed.clear()
            if self.consumer is not None and not self._target.alone:
                if self._emptying:
                    if self._is_empty():
                        return self.consumer
                elif self._slots.free > 0 and (self._claimable() or self._slots.free_for_new > 0):
                    return self.consumer
            await self._wait()
        return None

    async def _wait(self) -> None:
        due = self._slots.next_due()  # a message that this worker parked stops counting then
        if due is None:
            await self._slots.changed.wait()
            return
        try:
            async with asyncio.timeout(due + 0.001):
                await self._slots.changed.wait()
        except TimeoutError:
            pass

    def _is_empty(self) -> bool:
        return self._slots.free == self._slots.concurrency

    def _is_stuck(self) -> bool:
        """Something here may never end: a worker that waited for it to be empty would never take anything again."""
        return self._target.lingers or self._slots.refused > 0

    def _claimable(self) -> bool:
        return self._ready or (self._suspect and self._target.suspects < MOST_SUSPECTS)

    async def _take(self, consumer: str) -> None:
        if self._emptying or self._claimable():
            self._activity = Activity.CLAIMING
            await self._claim(consumer, alone=self._emptying)
        else:
            self._activity = Activity.READING
            await self._read(consumer)

    async def _read(self, consumer: str) -> None:
        most = self._slots.free_for_new
        if most <= 0:
            return
        # After trouble the first read returns at once: whoever waits for the end of it must not wait for a message.
        block = 1 if Activity.READING in self._troubled else self._block
        self._reading = True
        try:
            answer = await self._reader.call(
                *("XREADGROUP", "GROUP", self._keys.group, consumer, "COUNT", most),
                *("BLOCK", block, "STREAMS", self._keys.stream, ">"),
                wait=block / 1000,
            )
        finally:
            self._reading = False
        if answer is None:
            return
        ((_, entries),) = cast("list[tuple[bytes, list[tuple[bytes, list[bytes]]]]]", answer)
        deliver = self._target.deliver
        for id_, fields in entries:
            deliver(Delivery(id_, fields, consumer))
        self._target.waited(entries[0][0], len(entries))

    async def _claim(self, consumer: str, *, alone: bool) -> None:
        busy = "stuck" if self._is_stuck() else "busy"
        keys, how = self._keys, "alone" if alone else "idle" if self._is_empty() else busy
        free = min(self._slots.free, MOST_CLAIMED)
        suspects = 1 if alone else max(0, min(free, MOST_SUSPECTS - self._target.suspects)) if self._suspect else 0
        ready = 0 if alone else free - suspects
        answer = await self._claimer.run(
            script("claim"),
            (keys.stream, keys.alive, keys.uncharged, keys.crashed, keys.position),
            (keys.group, consumer, suspects, ready, self._attempts, how, self._emptying_takes),
        )
        self._emptying = False
        if answer == b"lost" or not isinstance(answer, list):
            self.end(consumer)  # the lease's own thread will find out, and begin a new life
            return
        gone, waiting, *told = answer
        if isinstance(gone, int) and gone:
            self._target.unclaimed(gone)
        claimed = [claimed_delivery(one, consumer) for one in told]
        for one in claimed:
            self._target.deliver(one, alone=alone)
        # What came in full may have more behind it.
        taken = sum(one.is_suspect for one in claimed)
        self._ready = self._ready and len(claimed) - taken >= ready
        self._suspect = self._suspect and taken >= suspects
        if isinstance(waiting, int) and waiting > 0 and not taken:
            self._emptying = True


def claimed_delivery(told: Reply, consumer: str) -> Delivery:
    """An entry as `claim.lua` tells it. A suspect has one attempt more than others, alone; lost in that, it is dead."""
    id_, count, uncharged, source, fields, alone = cast("tuple[bytes, int, int, bytes, Sequence[bytes], int]", told)
    delivery = Delivery(id_, fields, consumer, count, uncharged, SUSPECT if source == SUSPECT.encode() else READY)
    delivery.again = alone == 1
    return delivery
