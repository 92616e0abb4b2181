"""Sends steps to Redis: one fenced script settles all messages that end at the same time.

While one batch is sent, the next one collects. So a slow message never delays others, and a busy worker needs few
commands. A step that Redis did not accept is kept and repeated; the fence makes that harmless. Kept steps wait in a
separate list, so that one that is always refused does not delay others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Protocol

from penstock.clocks import CLOCKS, Clocks
from penstock.keys import READY, STATES, SUSPECT, PipelineKeys
from penstock.maintenance.replies import without_group
from penstock.message.penstock_fields import ID, KEY, own_fields_of
from penstock.scripts import script
from penstock.wire.errors import Absent, RedisTrouble, Refused, Reply
from penstock.wire.link import Link
from penstock.worker.dead_letter import dead_letter_fields, penstock_field
from penstock.worker.dead_letter_room import RETRY_AFTER, DeadLetterRoom
from penstock.worker.delivery import Buried, Delivery, GivenBack, Parked, Recovered, SettledWith, Step

MAX_DONE = 1000
"""Deliveries of one call: a thousand block Redis for about four milliseconds."""
MAX_OTHERS = 200
"""The same for steps that block Redis longer."""
FIRST_WAIT, LONGEST_WAIT = 0.05, 1.0
CRASH = "penstock.Crash"
"""The type of the failure of a handler that crashed its process."""

Sent = bytes | str | int | float


class SettleObserver(Protocol):
    """Gets the results of steps."""

    def took(self, steps: Sequence[Step | Delivery], seconds: float) -> None:
        """Redis accepted these steps of one kind, this many seconds after the first was added."""

    def buried(self, buried: Buried, dead_letter: str | None) -> None:
        """Redis has the dead letter, with this id; None if the reply was lost."""

    def not_buried(self, buried: Buried) -> None:
        """The dead letters have reached their limit: the message is retried later."""

    def fenced(self, name: str, steps: Sequence[Step | Delivery]) -> None:
        """Nothing changed: the messages already belonged to other consumers."""

    def gone(self, name: str, steps: Sequence[Step | Delivery]) -> None:
        """Nothing changed: the messages were no longer pending."""

    def refused(self, name: str, error: RedisTrouble, unsettled: int) -> None:
        """Redis did not accept the steps; they are kept."""


class Settler:
    """Sends steps to Redis, over a connection that no read blocks."""

    def __init__(  # noqa: PLR0913 - its collaborators, each of another type
        self,
        link: Link,
        keys: PipelineKeys,
        observer: SettleObserver,
        *,
        deletes: bool,
        group_gone: Callable[[str], None],
        changed: asyncio.Event,
        clocks: Clocks = CLOCKS,
        room: DeadLetterRoom | None = None,
    ) -> None:
        """`deletes`: the stream keeps no settled messages. `changed` is set when Redis has accepted steps.

        While there is no `room`, messages are parked instead of buried.
        """
        self._room = room
        self._link = link
        self._keys = keys
        self._observer = observer
        self._deletes = "1" if deletes else "0"
        self._wall = clocks.wall
        self._group_gone = group_gone
        self._changed = changed
        self._monotonic = clocks.monotonic
        self._done: list[Delivery] = []
        self._others: list[Step] = []
        self._in_flight: list[Delivery] = []
        self._kept_done: list[Delivery] = []
        self._kept_others: list[Step] = []
        self._kept_since = self._again_at = 0.0
        self._repeated: set[tuple[str, bytes, int]] = set()
        self._since = 0.0
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self.unsettled = 0
        """Steps that Redis has not accepted yet."""
        self.kept_dead = 0
        """Those of the kept steps that write dead letters."""
        self.kept = 0
        """Those of them that were sent, but that Redis did not accept."""

    def settle(self, delivery: Delivery) -> None:
        """Settle a delivery. This is the usual case, so it allocates nothing."""
        self._done.append(delivery)
        self.unsettled += 1
        if not self._since:
            self._since = self._monotonic()
            self._wake.set()

    def add(self, step: Step) -> None:
        """Add any other step."""
        self._others.append(step)
        self.unsettled += 1
        if not self._since:
            self._since = self._monotonic()
            self._wake.set()

    def unsettled_deliveries(self) -> set[tuple[str, bytes, int]]:
        """The deliveries whose steps Redis has not accepted yet: consumer, entry and count."""
        others = (one.delivery for one in (*self._others, *self._kept_others))
        deliveries = (*self._done, *self._in_flight, *self._kept_done, *others)
        return {(one.consumer, one.id, one.count) for one in deliveries}

    async def empty(self) -> None:
        """Wait until Redis has accepted all steps."""
        while self.unsettled:
            self._idle.clear()
            await self._idle.wait()

    async def run(self) -> None:
        """Send steps until cancelled."""
        wait = FIRST_WAIT
        while True:
            await self._wait_for_work()
            if self.kept and self._monotonic() >= self._again_at:
                await self._retry_kept()
                wait = min(2 * wait, LONGEST_WAIT) if self.kept else FIRST_WAIT
                self._again_at = self._monotonic() + wait
            if self._done or self._others:
                await self._flush()
            self._idle.set()

    async def _wait_for_work(self) -> None:
        """Wait for new steps, or until it is time to retry kept ones."""
        if not self.kept:
            await self._wake.wait()
        else:
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.001, self._again_at - self._monotonic())):
                    await self._wake.wait()
        self._wake.clear()

    async def _flush(self) -> None:
        """Send all new steps once. Refused ones are kept, and do not delay the others."""
        since, self._since = self._since, 0.0
        done, self._done = self._done, []
        others, self._others = self._others, []
        self._in_flight = [*done, *(one.delivery for one in others)] if others else done
        await self._send_all(done, others, since)

    async def _retry_kept(self) -> None:
        """Send the kept steps again. Each accepted one frees a slot."""
        done, self._kept_done = self._kept_done, []
        others, self._kept_others = self._kept_others, []
        self._in_flight = [*done, *(one.delivery for one in others)]
        await self._send_all(done, others, self._kept_since)

    async def _send_all(self, done: list[Delivery], others: list[Step], since: float) -> None:
        for batch in in_batches(done):
            if not await self._settle(batch, since):
                self._kept_done += batch
        for some in in_batches_by_kind(others):
            if not await self._send(some, since):
                self._kept_others += some
        self._in_flight = []
        kept = len(self._kept_done) + len(self._kept_others)
        self.kept_dead = sum(isinstance(one, Buried) for one in self._kept_others)
        if kept != self.kept:
            if not self.kept:
                self._kept_since, self._again_at = since, self._monotonic() + FIRST_WAIT
            self.kept = kept
            self._changed.set()

    async def _settle(self, batch: list[Delivery], since: float) -> bool:
        rest: list[Sent] = [part for one in batch for part in (one.id, one.count)]
        keys = (self._keys.stream, self._keys.uncharged, self._keys.crashed, self._keys.finished)
        args = (self._keys.group, batch[0].consumer, self._deletes, *id_range(batch), *rest)
        answers = await self._run_script("settle", keys, args, batch)
        if answers is not None:
            self._report("settle", batch, batch, answers, since)
        return answers is not None

    async def _send(self, batch: list[Step], since: float) -> bool:
        if isinstance(first := batch[0], Buried) and self._room and (refusal := await self._refusal(first, self._room)):
            batch = [refusal]
        name, keys, args = self._script_call(batch)
        deliveries = [one.delivery for one in batch]
        answers = await self._run_script(name, keys, args, deliveries)
        if answers is not None:
            self._report(name, batch, deliveries, answers, since)
        return answers is not None

    async def _refusal(self, buried: Buried, room: DeadLetterRoom) -> Step | None:
        """The step instead of a burial for which there is no room; None if there is.

        A suspect stays one. One that killed its process in its last attempt must not run again: it would kill a worker
        each time.
        """
        try:
            if not await room.is_full():
                return None
        except RedisTrouble:
            return None  # the burial meets the same trouble, and is kept
        self._observer.not_buried(buried)
        delivery = buried.delivery
        kills = delivery.lost_isolated or buried.cause == CRASH
        return Parked(
            delivery,
            RETRY_AFTER,
            "",
            crashed=delivery.is_suspect,
            uncharged=delivery.lost_isolated,
            only_to_bury=kills,
        )

    def _script_call(self, batch: Sequence[Step]) -> tuple[str, tuple[str | bytes, ...], tuple[Sent, ...]]:
        """The script for steps of one kind and consumer, with its keys and arguments."""
        keys, first = self._keys, batch[0]
        delivery = first.delivery
        owner = (keys.group, delivery.consumer)
        rest: tuple[Sent, ...]
        named: tuple[str, ...]
        bounds = id_range([step.delivery for step in batch])
        match first:
            case Parked():
                parts = (_park_args(step) for step in batch if isinstance(step, Parked))
                rest = tuple(part for step in parts for part in step)
                named = (keys.stream, keys.parked, keys.uncharged, keys.crashed)
                return "park", named, (*owner, self._deletes, *bounds, *rest)
            case GivenBack():
                rest = tuple(part for step in batch for part in _give_back_args(step.delivery))
                return "give_back", (keys.stream, keys.uncharged), (*owner, *bounds, *rest)
            case Buried():
                values = dead_letter_fields(first, keys, int(self._wall() * 1000))
                key = penstock_field(delivery.fields, KEY)
                own = penstock_field(delivery.fields, ID) or b""
                named = (keys.stream, keys.dead, keys.uncharged, keys.crashed, keys.finished)
                count = -len(values) if delivery.left_out else len(values)
                rest = (self._deletes, own, count, *values, *bounds, delivery.id, delivery.count)
                return "bury", (*named, keys.dedup.encode() + key if key else keys.stream), (*owner, *rest)
            case Recovered():
                rest = tuple(part for step in batch if isinstance(step, Recovered) for part in _recover_args(step))
                named = (keys.stream, keys.alive, keys.parked, keys.uncharged, keys.crashed, keys.position)
                return "recover", named, (*owner, *rest)
            case SettledWith():
                result = keys.result + (own_fields_of(delivery.fields).id or delivery.id.decode())
                rest = (self._deletes, first.result.value, first.result.keep, *bounds, delivery.id, delivery.count)
                named = (keys.stream, keys.uncharged, keys.crashed, keys.finished, result)
                return "settle_with", named, (*owner, *rest)

    async def _run_script(
        self, name: str, keys: Sequence[str | bytes], args: Sequence[Sent], deliveries: Sequence[Delivery]
    ) -> list[Reply] | None:
        """Run a script; return its answers, or None if the steps must be kept."""
        try:
            answers = await self._link.run(script(name), keys, args)
        except Refused as error:
            if without_group(error):  # the pending list is gone with the group, so no consumer owns these deliveries
                self._group_gone(deliveries[0].consumer)
                self._repeated.difference_update((name, one.id, one.count) for one in deliveries)
                return [0] * len(deliveries)
            self._refused(name, error)
            return None
        except RedisTrouble as error:
            if not isinstance(error, Absent):
                self._repeated.update((name, one.id, one.count) for one in deliveries)
            self._refused(name, error)
            return None
        assert isinstance(answers, list)  # noqa: S101 - the script replies with a list
        return answers

    def _refused(self, name: str, error: RedisTrouble) -> None:
        self._observer.refused(name, error, self.unsettled)

    def _report(
        self,
        name: str,
        batch: Sequence[Step | Delivery],
        deliveries: Iterable[Delivery],
        answers: Sequence[Reply],
        since: float,
    ) -> None:
        self.unsettled -= len(answers)
        self._changed.set()
        waited = self._monotonic() - since
        if not self._repeated and answers.count(1) == len(answers):
            self._observer.took(batch, waited)
            return
        took: list[Step | Delivery] = []
        gone: list[Step | Delivery] = []
        fenced: list[Step | Delivery] = []
        for step, delivery, answer in zip(batch, deliveries, answers, strict=True):
            key = (name, delivery.id, delivery.count)
            repeated = key in self._repeated
            self._repeated.discard(key)
            done = succeeded(name, delivery.count, answer, repeated=repeated)
            if done and isinstance(step, Buried):
                self._observer.buried(step, answer.decode() if isinstance(answer, bytes) else None)
            (took if done else gone if answer == 0 else fenced).append(step)
            if answer == 0 and not repeated and self._deletes == "0":
                self._recover(step)
        if took:
            self._observer.took(took, waited)
        if gone:
            self._observer.gone(name, gone)
        if fenced:
            self._observer.fenced(name, fenced)

    def _recover(self, step: Step | Delivery) -> None:
        """Get back a message that its step found pending nowhere, where finished entries stay and nothing misses it.

        It is unfinished, unless it was just settled. If the step was repeated, its first try may have worked, and
        another worker may have finished the message since.
        """
        match step:
            case Parked(delivery):
                self.add(Recovered(delivery, delivery.uncharged + step.uncharged))
            case GivenBack(delivery):
                self.add(Recovered(delivery, delivery.uncharged + 1))
            case Buried(delivery):  # its last attempt is repeated
                self.add(Recovered(delivery, delivery.uncharged + 1))
            case _:
                pass


def in_batches(deliveries: list[Delivery]) -> Iterator[list[Delivery]]:
    """Split deliveries by consumer, and into batches that do not block Redis for long."""
    if not deliveries:
        return
    consumer = deliveries[0].consumer
    if len(deliveries) <= MAX_DONE and all(one.consumer is consumer for one in deliveries):
        yield deliveries
        return
    by_consumer: dict[str, list[Delivery]] = {}
    for one in deliveries:
        by_consumer.setdefault(one.consumer, []).append(one)
    for same in by_consumer.values():
        for at in range(0, len(same), MAX_DONE):
            yield same[at : at + MAX_DONE]


def in_batches_by_kind(steps: list[Step]) -> Iterator[list[Step]]:
    """Split steps by kind and consumer; dead letters and results go one by one."""
    together: dict[tuple[type, str], list[Step]] = {}
    for one in steps:
        together.setdefault((type(one), one.delivery.consumer), []).append(one)
    for (kind, _), same in together.items():
        most = MAX_OTHERS if kind in (Parked, GivenBack, Recovered) else 1
        for at in range(0, len(same), most):
            yield same[at : at + most]


def succeeded(name: str, count: int, answer: Reply, *, repeated: bool) -> bool:
    """Whether Redis has accepted a step.

    A step that was repeated because its reply was lost may have succeeded the first time. Then a settled message is
    gone, and a parked or given back message has its new owner and the same count.
    """
    if answer == 1 or isinstance(answer, bytes):  # the id of a dead letter
        return True
    if not repeated:
        return False
    if answer == 0:
        return name in ("settle", "settle_with", "bury")
    moved = name in ("park", "give_back") and isinstance(answer, list)
    return moved and isinstance(answer, list) and answer[0] in _STATES and answer[1] == count


_STATES = frozenset(state.encode() for state in STATES)


def id_range(deliveries: Sequence[Delivery]) -> tuple[bytes, bytes]:
    """Roughly the lowest and highest id: as bytes, `-10` is below `-9`. The script looks up ids outside this range."""
    ids = [one.id for one in deliveries]
    return min(ids), max(ids)


def _park_args(parked: Parked) -> tuple[Sent, ...]:
    uncharged = parked.delivery.renewals + parked.uncharged
    crashed = -parked.delivery.attempt if parked.only_to_bury else int(parked.crashed)
    return (parked.delivery.id, parked.delivery.count, parked.wait, uncharged, crashed)


def _recover_args(recovered: Recovered) -> tuple[Sent, ...]:
    return (recovered.delivery.id, recovered.delivery.count, recovered.uncharged)


def _give_back_args(delivery: Delivery) -> tuple[Sent, ...]:
    return (delivery.id, delivery.count, delivery.renewals, SUSPECT if delivery.is_suspect else READY)
