"""What a round would do, without doing it: only commands that read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass

from penstock.janitor.consumers import consumers
from penstock.janitor.ghosts import Ghosts
from penstock.janitor.pods import Pods, PodsUnknownError
from penstock.janitor.reconcile import BYTES, ENTRIES, PAGE
from penstock.keys import PARKED
from penstock.resolved import Resolved
from penstock.tending.replies import items, number, raw
from penstock.wire.errors import Refused, Reply
from penstock.wire.link import Link
from penstock.wire.words import Word
from penstock_spec.kinds.pipeline.stream import KeepAge, KeepLength


@dataclass(frozen=True, slots=True)
class Would:
    """One thing that a round would do."""

    pipeline: str
    does: str
    count: int

    def __str__(self) -> str:
        return f"{self.pipeline}: {self.does}: {self.count}"


class Look:
    """At one pipeline, as far as one round looks: a page of each index, and a page of the stream."""

    def __init__(self, pipeline: Resolved, link: Link, pods: Pods) -> None:
        """Nothing is asked yet."""
        self._name = pipeline.name
        self._spec = pipeline.spec
        self._keys = pipeline.keys
        self._link = link
        self._pods = pods

    async def would(self) -> list[Would]:
        """All that a round would find to do. Raises RedisTrouble."""
        return [Would(self._name, does, count) async for does, count in self._all() if count]

    async def _all(self) -> AsyncIterator[tuple[str, int]]:
        seconds, micros = (int(raw(part)) for part in items(await self._link.call("TIME")))
        now = seconds * 1000 + micros // 1000
        keys = self._keys
        yield "promote parked messages that are due", await self._count("ZCOUNT", keys.parked, "-inf", now)
        yield "let delayed messages into the stream", await self._count("ZCOUNT", keys.delayed, "-inf", now)
        too_old = now - self._spec.dead_letter.keep.amount
        yield "remove dead letters that are too old", await self._older(keys.dead, too_old)
        yield "put delayed bodies and their due times right", await self._delayed()
        if not await self._group_is_there():
            vanished = await self._count("HEXISTS", keys.position, "since")
            again = "make the group again, which vanished, and bring back what is left"
            yield again if vanished else "make the group", 1
            return
        async for one in self._lost(now):
            yield one
        yield "give parked messages the due time that they lost", await self._parked_without_due()
        yield "drop due times of what is not parked", await self._due_without_parked()
        keep = self._spec.stream.retention.keep
        if isinstance(keep, KeepLength):
            length = await self._count("XLEN", keys.stream)
            yield "trim finished entries, as far as every group has finished them", max(0, length - keep.length)
        elif isinstance(keep, KeepAge):
            older = await self._older(keys.stream, now - keep.age.amount)
            yield "trim finished entries, as far as every group has finished them", older
        else:
            foreign = self._spec.stream.foreign_workers
            does = "delete what others finished" if foreign else "bring back what is pending nowhere"
            yield does, await self._nowhere()
        yield "remove consumers whose pod is gone", await self._ghosts()

    async def _count(self, *command: str | int) -> int:
        return number(await self._link.call(*command))

    async def _group_is_there(self) -> bool:
        try:
            told = items(await self._link.call("XINFO", "GROUPS", self._keys.stream))
        except Refused:
            return False
        return any(_words(one)[b"name"] == self._keys.group.encode() for one in told)

    async def _lost(self, now: int) -> AsyncIterator[tuple[str, int]]:
        """Consumers of ours whose lease is over, and those that have none."""
        keys = self._keys
        over = {raw(one) for one in items(await self._link.call("ZRANGEBYSCORE", keys.alive, 0, now))}
        over |= {raw(one) for one in items(await self._link.call("ZRANGEBYSCORE", keys.alive, -now, "(0"))}
        found = await consumers(self._link, keys)
        held = {one.name: one.pending for one in found}
        yield "take over messages of lost workers", sum(held.get(name, 0) for name in over)
        yield "delete consumers of lost workers", len(over)
        ours = [one.name for one in found if one.is_ours]
        yield "take consumers of ours without a lease for lost", await self._without_lease(ours)

    async def _without_lease(self, names: Sequence[bytes]) -> int:
        if not names:
            return 0
        return items(await self._link.call("ZMSCORE", self._keys.alive, *names)).count(None)

    async def _parked_without_due(self) -> int:
        keys = self._keys
        told = items(await self._link.call("XPENDING", keys.stream, keys.group, "-", "+", PAGE, PARKED))
        ids = [raw(items(one)[0]) for one in told]
        if not ids:
            return 0
        return items(await self._link.call("ZMSCORE", keys.parked, *ids)).count(None)

    async def _due_without_parked(self) -> int:
        ids = [raw(one) for one in items(await self._link.call("ZRANGE", self._keys.parked, 0, PAGE - 1))]
        return sum(not owner for owner in await self._pending(ids, PARKED))

    async def _delayed(self) -> int:
        keys = self._keys
        return abs(await self._count("ZCARD", keys.delayed) - await self._count("HLEN", keys.bodies))

    async def _nowhere(self) -> int:
        keys = self._keys
        groups = [_words(one) for one in items(await self._link.call("XINFO", "GROUPS", keys.stream))]
        if len(groups) > 1:
            return 0  # nobody can tell what is finished
        last = raw(groups[0][b"last-delivered-id"])
        ids = [id_ async for id_ in self._page(keys.stream, last)]
        return sum(not owner for owner in await self._pending(ids))

    async def _page(self, stream: str, last: bytes) -> AsyncIterator[bytes]:
        """Ids of the first entries of a stream; a few at a time while they are large."""
        begin, seen, size, step = b"-", 0, 0, 1
        while seen < ENTRIES and size < BYTES:
            told = [items(one) for one in items(await self._link.call("XRANGE", stream, begin, last, "COUNT", step))]
            for id_, fields in told:
                yield raw(id_)
                begin = b"(" + raw(id_)
                size += sum(len(raw(field)) for field in items(fields))
            seen += len(told)
            if len(told) < step:
                return
            step = min(4 * step, ENTRIES - seen)

    async def _pending(self, ids: Iterable[bytes], *owner: str) -> list[list[Reply]]:
        """What is pending of each, of that owner if there is one."""
        keys = self._keys
        commands: list[tuple[Word, ...]] = [("XPENDING", keys.stream, keys.group, id_, id_, 1, *owner) for id_ in ids]
        answers = await self._link.calls(commands) if commands else []
        found = []
        for one in answers:
            if isinstance(one, Refused):
                raise one
            found.append(items(one))
        return found

    async def _older(self, stream: str, oldest: int) -> int:
        """Entries of a stream that are older, as many as a page has at the most."""
        if oldest <= 0:
            return 0
        return len([id_ async for id_ in self._page(stream, f"({oldest}-0".encode())])

    async def _ghosts(self) -> int:
        try:
            return len(await Ghosts(self._link, self._keys, self._spec.janitor.ghosts.idle.amount, self._pods).find())
        except PodsUnknownError:
            return 0  # an unanswered question means alive


def _words(reply: Reply) -> dict[bytes, Reply]:
    told = items(reply)
    return dict(zip(map(raw, told[::2]), told[1::2], strict=True))


async def look(pipelines: Sequence[Resolved], links: Sequence[Link], pods: Pods) -> list[Would]:
    """What a round over each pipeline would do."""
    found = await asyncio.gather(*(Look(one, link, pods).would() for one, link in zip(pipelines, links, strict=True)))
    return [would for one in found for would in one]
