"""Gets messages from Redis: new ones by a blocking read, ready ones and suspects by claims.

Only one read or claim runs at a time, so that a worker never takes more than it has free slots.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias, cast

from penstock.clocks import Clocks
from penstock.keys import PipelineKeys
from penstock.maintenance.replies import without_group
from penstock.observe.events import Activity
from penstock.pod.lease_term import LeaseTerm
from penstock.scripts import script
from penstock.wire.errors import Oversized, RedisTrouble, Refused, Reply, Unanswered
from penstock.wire.link import Link
from penstock.worker.claimed import claimed_delivery, weight
from penstock.worker.delivery import Delivery
from penstock.worker.large_body import leave_out_large_body
from penstock.worker.read_ahead import ReadAhead
from penstock.worker.read_size import ReadSize
from penstock.worker.slots import Slots
from penstock.worker.unblocking import Unblocking
from penstock_spec.kinds.pipeline.stream import JsonField, Message

MOST_CLAIMED = 50
"""Entries of one claim, which blocks Redis far longer than a read."""
SUSPECTS_WAIT = 50
"""Milliseconds that a read may block while suspects wait for others to end in their processes."""
READY_PER_NEW = 3
"""Ready messages for each new one while there are more ready ones than slots."""
FIRST_WAIT, LONGEST_WAIT = 0.05, 1.0
UNBLOCK_AGAIN = 0.05

Entries: TypeAlias = "list[tuple[bytes, list[bytes]]]"
"""Ids, and alternating names and values."""


class DeliveryTarget(Protocol):
    """Takes deliveries; see `Attempts`."""

    suspects: int
    """Suspects that run in this worker."""
    alone: int
    """Those of them that must run alone in this worker."""

    @property
    def most_suspects(self) -> int:
        """How many of them may run at the same time in child processes."""

    def room_for_suspects(self) -> int:
        """How many more suspects may run in child processes now."""

    @property
    def has_abandoned(self) -> bool:
        """Whether a handler runs on after its message was taken from it."""

    def deliver(self, delivery: Delivery, *, alone: bool = False) -> None:
        """Start this delivery."""

    def observe_wait(self, oldest: bytes, entries: int) -> None:
        """Record how long new messages have waited; `oldest` is the first of `entries`."""

    def entries_deleted(self, entries: int) -> None:
        """Record entries that could not be claimed because they were deleted from the stream."""

    def group_gone(self, consumer: str) -> None:
        """The group does not exist, so this consumer is lost."""


class RedisObserver(Protocol):
    """Gets notified when Redis fails and when it works again."""

    def trouble(self, activity: Activity, error: RedisTrouble) -> None:
        """Redis failed this activity."""

    def works(self, activity: Activity) -> None:
        """This activity works again."""


class Intake:
    """Reads and claims while there are free slots."""

    def __init__(  # noqa: PLR0913, PLR0917 - its collaborators, each of another type
        self,
        reader: Link,
        claimer: Link,
        keys: PipelineKeys,
        slots: Slots,
        target: DeliveryTarget,
        observer: RedisObserver,
        on_expired: Callable[[str], object],
        *,
        block: int,
        max_attempts: int,
        message: Message,
        read_size: ReadSize,
        emptying_takes: int,
        audit: Callable[[], Awaitable[None]],
        set_back: Callable[[bytes], Awaitable[bool]],
        term: LeaseTerm,
        clocks: Clocks,
    ) -> None:
        """`on_expired` gets the consumer whose lease may have expired.

        `block` and `emptying_takes`, the longest time until this worker is empty, are in milliseconds.

        `audit` gives back the messages that this worker owns and does not run. `set_back` gets an id that was delivered
        before, after an earlier one was delivered as new; it returns whether it took care of what was delivered again.
        """
        self._reader = reader
        self._claimer = claimer
        self._unblocking = Unblocking(reader, claimer)
        self._keys = keys
        self._slots = slots
        self._target = target
        self._observer = observer
        self._on_expired = on_expired
        self._block = block
        self._max_attempts = max_attempts
        encoding = message.encoding
        self._body_field = encoding.json_ if isinstance(encoding, JsonField) else ""
        self._max_size = message.max_size.amount
        self._read_size = read_size
        self._emptying_takes = emptying_takes
        self._audit = audit
        self._set_back = set_back
        self._delivered = b"0-0"
        self._term = term
        self._now = clocks.monotonic
        self._sleep = clocks.sleep
        self._reading = False
        self._stopping = False
        self._audit_due = False
        self._ready = self._suspect = False
        self._emptying = False
        self._claimed = 0
        """Messages claimed since the last read, less those for which new ones were read."""
        self._asked = 1
        self._read_ahead = ReadAhead(slots, clocks)
        self._activity = Activity.READING
        self._troubled: set[Activity] = set()
        self.in_flight = asyncio.Lock()
        """Locked while the reply to a read or a claim is pending."""
        self.consumer: str | None = None
        """The current consumer of this worker."""

    def consumer_joined(self, consumer: str) -> None:
        """Take messages as this consumer from now on."""
        self.consumer = consumer
        self._slots.changed.set()

    def consumer_lost(self, consumer: str) -> None:
        """Take no more messages as this consumer."""
        if self.consumer == consumer:
            self.consumer = None

    def was_delivered(self, entry: bytes) -> None:
        """Note the last entry that was delivered to the group, and not only to this worker."""
        if _is_before(self._delivered, entry):
            self._delivered = entry

    async def offer(self, *, ready: bool, suspect: bool) -> None:
        """Note what can be claimed.

        A claim during a blocked read could take more than the free slots, so this unblocks the read first.
        """
        self._ready, self._suspect = ready, suspect
        if self._emptying and (not suspect or self._is_stuck()):  # the suspect is gone, or another worker claims it
            self._emptying = False
            self._slots.changed.set()
        if self._claimable():
            self._slots.changed.set()
            await self._unblock()

    async def stop(self, intake: asyncio.Task[None]) -> None:
        """Take no more messages, and wait for the reply to the read in progress."""
        self._stopping = True
        self._slots.changed.set()
        while not intake.done():
            await self._unblock()
            await asyncio.wait({intake}, timeout=UNBLOCK_AGAIN)

    async def _unblock(self) -> None:
        if self._reading and self._reader.client_id is not None:
            try:
                await self._unblocking.unblock()
            except RedisTrouble as error:
                self._trouble(Activity.UNBLOCKING, error)
            else:
                self._works(Activity.UNBLOCKING)

    async def run(self) -> None:
        """Take messages until stopped."""
        wait = FIRST_WAIT
        while not self._stopping:
            consumer = await self._wait_for_slots()
            if consumer is None:
                break
            try:
                if self._audit_due:
                    await self._run_audit()
                async with self.in_flight:
                    await self._take(consumer)
                self._works(self._activity)
                wait = FIRST_WAIT
            except RedisTrouble as error:
                # Redis may have run the command: check which messages this worker owns before it takes others.
                self._audit_due = True
                if isinstance(error, Unanswered) and self._activity is not Activity.AUDITING:
                    self._read_size.failed(self._asked, oversized=isinstance(error, Oversized))
                self._trouble(self._activity, error)
                if isinstance(error, Refused) and without_group(error):
                    self._target.group_gone(consumer)
                await self._sleep(wait)
                wait = min(2 * wait, LONGEST_WAIT)
        if self._audit_due:
            await self._audit_before_stop()

    async def _audit_before_stop(self) -> None:
        """Give back messages of a failed read, or they would count as attempts. Try once: the worker is stopping."""
        try:
            await self._run_audit()
        except RedisTrouble as error:
            self._trouble(Activity.AUDITING, error)

    async def _run_audit(self) -> None:
        self._activity = Activity.AUDITING
        await self._audit()
        self._audit_due = False
        self._works(Activity.AUDITING)

    def _trouble(self, activity: Activity, error: RedisTrouble) -> None:
        self._troubled.add(activity)
        self._observer.trouble(activity, error)

    def _works(self, activity: Activity) -> None:
        if activity in self._troubled:
            self._troubled.discard(activity)
            self._observer.works(activity)

    async def _wait_for_slots(self) -> str | None:
        """Wait for a consumer and for free slots; None if the worker stops."""
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
        due = self._slots.next_due()  # then a parked message frees its place in `max_pending_per_worker`
        if due is None:
            await self._slots.changed.wait()
            return
        try:
            async with asyncio.timeout(due + 0.001):
                await self._slots.changed.wait()
        except TimeoutError:
            pass

    def _is_empty(self) -> bool:
        """Whether this worker owns nothing that would be lost with it; refused dead letters may take no slot."""
        return self._slots.free == self._slots.concurrency and not self._slots.refused

    def _is_stuck(self) -> bool:
        """Whether something here may never end; then this worker must not wait until it is empty."""
        return self._target.has_abandoned or self._slots.refused > 0

    def _suspects_to_claim(self, free: int, room: int) -> int:
        return max(0, min(free, room)) if self._suspect else 0

    def _claimable(self) -> bool:
        return self._ready or (self._suspect and self._target.suspects < self._target.most_suspects)

    async def _take(self, consumer: str) -> None:
        if self._read_ahead.pauses:  # before the decision, because something may be offered meanwhile
            await asyncio.sleep(0)
        claims = self._emptying or self._claimable()
        if claims and (self._emptying or self._claimed < READY_PER_NEW or self._slots.free_for_new <= 0):
            self._activity = Activity.CLAIMING
            await self._claim(consumer, alone=self._emptying)
        else:
            self._activity = Activity.READING
            await (self._read_turn(consumer) if claims else self._read(consumer))

    async def _read_turn(self, consumer: str) -> None:
        """Read the share of new messages while there are more ready ones than slots. Does not wait for any."""
        most = min(self._slots.free_for_new, self._claimed // READY_PER_NEW)
        most = self._asked = self._read_size.count(most)
        delivered = self._delivered
        answer = await self._reader.call(
            *("XREADGROUP", "GROUP", self._keys.group, consumer, "COUNT", most, "STREAMS", self._keys.stream, ">"),
            most=self._read_size.most_received,
        )
        read = await self._deliver(answer, consumer, delivered)
        self._claimed = max(0, self._claimed - READY_PER_NEW * read) if read else 0

    async def _read(self, consumer: str) -> None:
        self._claimed = 0
        most = self._slots.free_for_new
        if most <= 0:
            return
        most = self._asked = self._read_size.count(self._read_ahead.count(most))
        # After an error, the first read returns at once, so that recovery is noticed without waiting for a message.
        block = 1 if Activity.READING in self._troubled else self._block
        if self._suspect:  # nothing ends a read when a suspect makes room for the next one
            block = min(block, SUSPECTS_WAIT)
        await self._unblocking.reader_server.learn()
        delivered = self._delivered  # before this read: a later one may be higher than what it returns
        self._reading = True
        try:
            answer = await self._reader.call(
                *("XREADGROUP", "GROUP", self._keys.group, consumer, "COUNT", most),
                *("BLOCK", block, "STREAMS", self._keys.stream, ">"),
                wait=block / 1000,
                most=self._read_size.most_received,
            )
        finally:
            self._reading = False
        self._read_ahead.received(_entries_in(answer), most)
        await self._deliver(answer, consumer, delivered)

    async def _deliver(self, answer: Reply, consumer: str, delivered: bytes) -> int:
        """Start what a read returned; return the number of messages.

        `delivered` is the last entry that was known to be delivered before the read.
        """
        if answer is None:
            return 0
        ((_, entries),) = cast("list[tuple[bytes, Entries]]", answer)
        self._check_term(consumer)
        self._read_size.received(len(entries), self._reader.received)
        if not _is_before(delivered, entries[0][0]) and await self._was_set_back(delivered):
            return 0
        self.was_delivered(entries[-1][0])  # a promotion may have noted a later one meanwhile
        deliver = self._target.deliver
        has_large = self._reader.received > self._max_size  # looked at here, because nearly no answer has one
        for id_, fields in entries:
            delivery = Delivery(id_, fields, consumer)
            if has_large:
                leave_out_large_body(delivery, self._body_field, self._max_size)
            deliver(delivery)
        self._target.observe_wait(entries[0][0], len(entries))
        return len(entries)

    def _check_term(self, consumer: str) -> None:
        """Leave the consumer if this process was suspended for so long that others may run what is delivered now."""
        if self._now() >= self._term.until:
            self._on_expired(consumer)

    async def _was_set_back(self, delivered: bytes) -> bool:
        """Start nothing that was delivered before: its delivery count, and so its fence, has started again."""
        if await self._set_back(delivered):
            self._audit_due = True  # the read also had entries that were new
            return True
        self._delivered = b"0-0"  # it is another stream, with lower ids
        return False

    async def _claim(self, consumer: str, *, alone: bool) -> None:
        busy_or_stuck = "stuck" if self._is_stuck() else "busy"
        keys, state = self._keys, "alone" if alone else "idle" if self._is_empty() else busy_or_stuck
        free = self._asked = self._read_size.claimed_count(min(self._slots.free, MOST_CLAIMED))
        room = self._target.room_for_suspects() if self._suspect or alone else 0
        # Without room for the first suspect, each must run alone. If others run already, it waits for their end.
        cramped = room <= 0 and not self._target.suspects
        has_room = cramped or room > 0
        suspects = 1 if alone else self._suspects_to_claim(free, 1 if cramped else room)
        ready = 0 if alone else free - suspects
        answer = await self._claimer.run(
            script("claim"),
            (keys.stream, keys.alive, keys.uncharged, keys.crashed, keys.position),
            (
                *(keys.group, consumer, suspects, ready, self._max_attempts, state, self._emptying_takes),
                *("cramped" if cramped else "roomy", self._body_field, self._max_size, self._read_size.budget),
            ),
        )
        self._emptying = False
        self._read_size.claimed()
        if answer == b"lost" or not isinstance(answer, list):
            self.consumer_lost(consumer)  # the lease's thread notices this, and registers a new consumer
            return
        gone, waiting, *rows = answer
        if isinstance(gone, int) and gone:
            self._target.entries_deleted(gone)
        self._check_term(consumer)
        claimed = [claimed_delivery(row, consumer) for row in rows]
        self._claimed += len(claimed)
        for delivery in claimed:
            self._target.deliver(delivery, alone=alone)
        # If a claim returned as many as requested, there may be more; and if it stopped after too many bytes.
        suspects_claimed = sum(delivery.is_suspect for delivery in claimed)
        is_cut = 2 * sum(map(weight, claimed)) > self._read_size.budget
        self._ready = self._ready and (is_cut or len(claimed) - suspects_claimed >= ready)
        # Without room, suspects wait for the next offer; new messages must not wait with them.
        self._suspect = self._suspect and has_room and (is_cut or suspects_claimed >= suspects)
        if isinstance(waiting, int) and waiting > 0 and not suspects_claimed:
            self._emptying = True


def _entries_in(answer: Reply) -> int:
    return 0 if answer is None else len(cast("list[tuple[bytes, Entries]]", answer)[0][1])


def _is_before(entry: bytes, other: bytes) -> bool:
    """Whether an entry id is before another."""
    if entry == other:
        return False
    time, _, number = entry.partition(b"-")
    other_time, _, other_number = other.partition(b"-")
    return (int(time), int(number)) < (int(other_time), int(other_number))
