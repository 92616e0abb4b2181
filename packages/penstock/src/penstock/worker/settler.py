"""Outcomes on their way to Redis: what ends together is settled together, by one fenced script.

While one batch is on its way the next gathers, so a slow message never holds up its neighbours, and a busy worker needs
few commands. An outcome that Redis did not take is kept and repeated; the fence makes that harmless. It waits apart, so
that one that is refused for ever holds up none of the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Protocol

from penstock.clocks import CLOCKS, Clocks
from penstock.keys import READY, STATES, SUSPECT, PipelineKeys
from penstock.maintenance.replies import without_group
from penstock.message.own import ID, KEY, own_of
from penstock.scripts import script
from penstock.wire.errors import Absent, RedisTrouble, Refused, Reply
from penstock.wire.link import Link
from penstock.worker.dead_letter import dead_letter_fields, penstock_field
from penstock.worker.delivery import Buried, Delivery, GivenBack, Parked, SettledWith, Step

MOST = 1000
"""Deliveries of one script: a thousand take Redis about four milliseconds."""
SOME = 200
"""The same for what takes Redis longer."""
FIRST_WAIT, LONGEST_WAIT = 0.05, 1.0

Sent = bytes | str | int | float


class SettleObserver(Protocol):
    """Who wants to know what became of outcomes."""

    def took(self, outcomes: Sequence[Step | Delivery], seconds: float) -> None:
        """Redis took them, so long after the first of them had gathered. They are of one kind."""

    def buried(self, one: Buried, dead_letter: str | None) -> None:
        """Redis has its dead letter, under this id; it is not known where the answer was lost."""

    def fenced(self, step: str, outcomes: Sequence[Step | Delivery]) -> None:
        """They were another's by then; nothing was changed."""

    def gone(self, step: str, outcomes: Sequence[Step | Delivery]) -> None:
        """They were pending nowhere by then; nothing was changed."""

    def refused(self, step: str, error: RedisTrouble, unsettled: int) -> None:
        """Redis did not take them; they are kept."""


class Settler:
    """Brings outcomes to Redis, over a connection of its own."""

    def __init__(  # noqa: PLR0913 - what it works with, each of a kind of its own
        self,
        link: Link,
        keys: PipelineKeys,
        observer: SettleObserver,
        *,
        deletes: bool,
        group_gone: Callable[[str], None],
        changed: asyncio.Event,
        clocks: Clocks = CLOCKS,
    ) -> None:
        """`deletes`: the stream keeps nothing done. `changed` is set when Redis took some."""
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
        self._working: list[Delivery] = []
        self._kept_done: list[Delivery] = []
        self._kept_others: list[Step] = []
        self._kept_since = self._again_at = 0.0
        self._repeated: set[tuple[str, bytes, int]] = set()
        self._since = 0.0
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self.unsettled = 0
        """Outcomes that Redis has not taken yet."""
        self.kept = 0
        """Those of them that Redis did not take when they were brought."""

    def settle(self, delivery: Delivery) -> None:
        """A delivery is done. The way of nearly all messages, so it makes nothing."""
        self._done.append(delivery)
        self.unsettled += 1
        if not self._since:
            self._since = self._monotonic()
            self._wake.set()

    def add(self, outcome: Step) -> None:
        """Any other outcome."""
        self._others.append(outcome)
        self.unsettled += 1
        if not self._since:
            self._since = self._monotonic()
            self._wake.set()

    def on_the_way(self) -> set[tuple[str, bytes, int]]:
        """The deliveries whose outcomes Redis has not taken: consumer, entry and count."""
        others = (one.delivery for one in (*self._others, *self._kept_others))
        deliveries = (*self._done, *self._working, *self._kept_done, *others)
        return {(one.consumer, one.id, one.count) for one in deliveries}

    async def empty(self) -> None:
        """Wait until Redis has taken all."""
        while self.unsettled:
            self._idle.clear()
            await self._idle.wait()

    async def run(self) -> None:
        """Until cancelled."""
        wait = FIRST_WAIT
        while True:
            await self._woken()
            if self.kept and self._monotonic() >= self._again_at:
                await self._bring_kept()
                wait = min(2 * wait, LONGEST_WAIT) if self.kept else FIRST_WAIT
                self._again_at = self._monotonic() + wait
            if self._done or self._others:
                await self._flush()
            self._idle.set()

    async def _woken(self) -> None:
        """Wait for new ones, or until it is time again for those that are kept."""
        if not self.kept:
            await self._wake.wait()
        else:
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.001, self._again_at - self._monotonic())):
                    await self._wake.wait()
        self._wake.clear()

    async def _flush(self) -> None:
        """Try everything once. What is refused does not hold up the rest; it comes again."""
        since, self._since = self._since, 0.0
        done, self._done = self._done, []
        others, self._others = self._others, []
        self._working = [*done, *(one.delivery for one in others)] if others else done
        await self._try(done, others, since)

    async def _bring_kept(self) -> None:
        """Once more. Those that are taken now make room."""
        done, self._kept_done = self._kept_done, []
        others, self._kept_others = self._kept_others, []
        self._working = [*done, *(one.delivery for one in others)]
        await self._try(done, others, self._kept_since)

    async def _try(self, done: list[Delivery], others: list[Step], since: float) -> None:
        for batch in in_batches(done):
            if not await self._settle(batch, since):
                self._kept_done += batch
        for some in in_kinds(others):
            if not await self._bring(some, since):
                self._kept_others += some
        self._working = []
        kept = len(self._kept_done) + len(self._kept_others)
        if kept != self.kept:
            if not self.kept:
                self._kept_since, self._again_at = since, self._monotonic() + FIRST_WAIT
            self.kept = kept
            self._changed.set()

    async def _settle(self, batch: list[Delivery], since: float) -> bool:
        rest: list[Sent] = [part for one in batch for part in (one.id, one.count)]
        keys = (self._keys.stream, self._keys.uncharged, self._keys.crashed, self._keys.finished)
        args = (self._keys.group, batch[0].consumer, self._deletes, *bounds(batch), *rest)
        answers = await self._asked("settle", keys, args, batch)
        if answers is not None:
            self._sort_out("settle", batch, batch, answers, since)
        return answers is not None

    async def _bring(self, batch: list[Step], since: float) -> bool:
        step, keys, args = self._worded(batch)
        deliveries = [one.delivery for one in batch]
        answers = await self._asked(step, keys, args, deliveries)
        if answers is not None:
            self._sort_out(step, batch, deliveries, answers, since)
        return answers is not None

    def _worded(self, batch: Sequence[Step]) -> tuple[str, tuple[str | bytes, ...], tuple[Sent, ...]]:
        """The script for outcomes of one kind and consumer, its keys and its arguments."""
        keys, first = self._keys, batch[0]
        one = first.delivery
        who = (keys.group, one.consumer)
        rest: tuple[Sent, ...]
        around = bounds([each.delivery for each in batch])
        match first:
            case Parked():
                parts = (_parked(each) for each in batch if isinstance(each, Parked))
                rest = tuple(part for each in parts for part in each)
                return "park", (keys.stream, keys.parked, keys.uncharged, keys.crashed), (*who, *around, *rest)
            case GivenBack():
                rest = tuple(part for each in batch for part in _given_back(each.delivery))
                return "give_back", (keys.stream, keys.uncharged), (*who, *around, *rest)
            case Buried():
                values = dead_letter_fields(first, keys, int(self._wall() * 1000))
                key = penstock_field(one.fields, KEY)
                own = penstock_field(one.fields, ID) or b""
                named = (keys.stream, keys.dead, keys.uncharged, keys.crashed, keys.finished)
                rest = (self._deletes, own, len(values), *values, *around, one.id, one.count)
                return "bury", (*named, keys.dedup.encode() + key if key else keys.stream), (*who, *rest)
            case SettledWith():
                result = keys.result + (own_of(one.fields).id or one.id.decode())
                rest = (self._deletes, first.result.value, first.result.keep, *around, one.id, one.count)
                return "settle_with", (keys.stream, keys.uncharged, keys.crashed, keys.finished, result), (*who, *rest)

    async def _asked(
        self, step: str, keys: Sequence[str | bytes], args: Sequence[Sent], deliveries: Sequence[Delivery]
    ) -> list[Reply] | None:
        """The script's answers, or nothing when the outcomes must be kept."""
        try:
            answers = await self._link.run(script(step), keys, args)
        except Refused as error:
            if without_group(error):  # and with it all that was pending: these deliveries are nobody's now
                self._group_gone(deliveries[0].consumer)
                self._repeated.difference_update((step, one.id, one.count) for one in deliveries)
                return [0] * len(deliveries)
            self._refused(step, error)
            return None
        except RedisTrouble as error:
            if not isinstance(error, Absent):
                self._repeated.update((step, one.id, one.count) for one in deliveries)
            self._refused(step, error)
            return None
        assert isinstance(answers, list)  # noqa: S101 - the script says so
        return answers

    def _refused(self, step: str, error: RedisTrouble) -> None:
        self._observer.refused(step, error, self.unsettled)

    def _sort_out(
        self,
        step: str,
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
        for one, delivery, answer in zip(batch, deliveries, answers, strict=True):
            key = (step, delivery.id, delivery.count)
            repeated = key in self._repeated
            self._repeated.discard(key)
            done = succeeded(step, delivery.count, answer, repeated=repeated)
            if done and isinstance(one, Buried):
                self._observer.buried(one, answer.decode() if isinstance(answer, bytes) else None)
            (took if done else gone if answer == 0 else fenced).append(one)
        if took:
            self._observer.took(took, waited)
        if gone:
            self._observer.gone(step, gone)
        if fenced:
            self._observer.fenced(step, fenced)


def in_batches(deliveries: list[Delivery]) -> Iterator[list[Delivery]]:
    """Of one consumer each, and of no more than one script may hold up Redis for."""
    if not deliveries:
        return
    consumer = deliveries[0].consumer
    if len(deliveries) <= MOST and all(one.consumer is consumer for one in deliveries):
        yield deliveries
        return
    by_consumer: dict[str, list[Delivery]] = {}
    for one in deliveries:
        by_consumer.setdefault(one.consumer, []).append(one)
    for same in by_consumer.values():
        for at in range(0, len(same), MOST):
            yield same[at : at + MOST]


def in_kinds(outcomes: list[Step]) -> Iterator[list[Step]]:
    """Of one kind and one consumer each; dead letters and results go one by one."""
    together: dict[tuple[type, str], list[Step]] = {}
    for one in outcomes:
        together.setdefault((type(one), one.delivery.consumer), []).append(one)
    for (kind, _), same in together.items():
        most = SOME if kind in (Parked, GivenBack) else 1
        for at in range(0, len(same), most):
            yield same[at : at + most]


def succeeded(step: str, count: int, answer: Reply, *, repeated: bool) -> bool:
    """Whether a step was taken.

    One that is repeated, because its answer was lost, may have been taken the first time: what was settled is gone
    then, and what was parked or given back is found where it was brought, with the same count.
    """
    if answer == 1 or isinstance(answer, bytes):  # the id of a dead letter
        return True
    if not repeated:
        return False
    if answer == 0:
        return step in ("settle", "settle_with", "bury")
    moved = step in ("park", "give_back") and isinstance(answer, list)
    return moved and isinstance(answer, list) and answer[0] in _STATES and answer[1] == count


_STATES = frozenset(state.encode() for state in STATES)


def bounds(deliveries: Sequence[Delivery]) -> tuple[bytes, bytes]:
    """About the lowest and the highest id: as bytes, `-10` is below `-9`. The fence asks again for what that misses."""
    ids = [one.id for one in deliveries]
    return min(ids), max(ids)


def _parked(one: Parked) -> tuple[Sent, ...]:
    return (one.delivery.id, one.delivery.count, one.wait, one.delivery.free, int(one.crashed))


def _given_back(one: Delivery) -> tuple[Sent, ...]:
    return (one.id, one.count, one.free, SUSPECT if one.is_suspect else READY)
