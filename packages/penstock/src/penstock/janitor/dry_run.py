"""Finds out what a round would do, with read commands only."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass

from penstock.janitor.consumers import consumers
from penstock.janitor.deletion_costs import DeletionCosts
from penstock.janitor.ghosts import Ghosts
from penstock.janitor.kubernetes_pods import PodsApi, PodsUnknownError
from penstock.janitor.reconcile import PAGE
from penstock.keys import PARKED
from penstock.maintenance.replies import items, mapping, milliseconds, no_stream, number, raw, without_group
from penstock.maintenance.unowned import BYTES, ENTRIES
from penstock.resolved import ResolvedPipeline
from penstock.wire.command import Argument
from penstock.wire.errors import RedisTrouble, Refused, Reply
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.stream import KeepAge, KeepLength

COUNT = b"~count"
"""The counter that `bring_back` keeps among the uncharged entries."""
ENTRY = re.compile(rb"[0-9]+-[0-9]+")


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """One change that a round would make."""

    pipeline: str
    does: str
    count: int

    def __str__(self) -> str:
        return f"would {self.does}  ({self.pipeline}: {self.count})"


@dataclass(frozen=True, slots=True)
class UnknownChange:
    """A change that a round might make; what it depends on cannot be read."""

    pipeline: str
    what: str
    why: str

    def __str__(self) -> str:
        return f"cannot find {self.what}: {self.why}  ({self.pipeline})"


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """Everything that a round would do for one pipeline."""

    pipeline: str
    changes: tuple[PlannedChange | UnknownChange, ...]
    trouble: RedisTrouble | None = None
    """Why the pipeline cannot be checked."""


class DryRun:
    """Inspects one pipeline as far as one round goes: one page of each index, and one page of the stream."""

    def __init__(self, pipeline: ResolvedPipeline, link: Link, pods: PodsApi) -> None:
        """Nothing is read yet."""
        self._name = pipeline.name
        self._spec = pipeline.spec
        self._keys = pipeline.keys
        self._link = link
        self._pods = pods

    async def changes(self) -> list[PlannedChange | UnknownChange]:
        """All changes that a round would make. Raises RedisTrouble."""
        planned: list[PlannedChange | UnknownChange] = [
            PlannedChange(self._name, does, count) async for does, count in self._changes() if count
        ]
        return planned + await self._ghosts()

    async def _changes(self) -> AsyncIterator[tuple[str, int]]:
        keys, now = self._keys, milliseconds(await self._link.call("TIME"))
        yield "promote parked messages that are due", await self._count("ZCOUNT", keys.parked, "-inf", now)
        yield "promote delayed messages that are due", await self._count("ZCOUNT", keys.delayed, "-inf", now)
        too_old = now - self._spec.dead_letter.keep.amount
        yield "remove expired dead letters", await self._older(keys.dead, too_old)
        yield "repair delayed messages", await self._delayed()
        if not await self._group_exists():
            vanished = await self._count("HEXISTS", keys.position, "since")
            again = "recreate the vanished group, and bring back its messages"
            yield again if vanished else "create the group", 1
            return
        async for one in self._lost_workers(now):
            yield one
        yield "restore missing due times of parked messages", await self._parked_without_due()
        yield "remove due times of messages that are not parked", await self._due_without_parked()
        forgotten, nowhere = await self._records()
        yield "remove records of messages that are not pending", forgotten
        foreign = self._spec.stream.foreign_workers
        if self._spec.stream.retention.keeps_nothing:
            unfinished, finished_elsewhere = await self._not_pending()
            yield "delete messages finished while another group read the stream", finished_elsewhere
            nowhere |= unfinished
        yield (
            "delete messages that foreign workers finished" if foreign else "bring back messages that are not pending",
            len(nowhere),
        )
        keep = self._spec.stream.retention.keep
        if isinstance(keep, KeepLength):
            length = await self._count("XLEN", keys.stream)
            yield "trim entries that every group has finished", max(0, length - keep.length)
        elif isinstance(keep, KeepAge):
            older = await self._older(keys.stream, now - keep.age.amount)
            yield "trim entries that every group has finished", older
        if self._spec.scaling.protect_busy:
            busy = DeletionCosts(self._link, keys, self._spec.stream.consumer, self._pods)
            yield "set pod-deletion costs", len(await busy.costs())

    async def _count(self, *command: str | int) -> int:
        return number(await self._link.call(*command))

    async def _group_exists(self) -> bool:
        try:
            groups = items(await self._link.call("XINFO", "GROUPS", self._keys.stream))
        except Refused as refused:
            if no_stream(refused):
                return False
            raise
        return any(mapping(one)[b"name"] == self._keys.group.encode() for one in groups)

    async def _lost_workers(self, now: int) -> AsyncIterator[tuple[str, int]]:
        """Penstock's consumers with an expired lease, or without one."""
        keys = self._keys
        expired = {raw(consumer) for consumer in items(await self._link.call("ZRANGEBYSCORE", keys.alive, 0, now))}
        expired |= {raw(consumer) for consumer in items(await self._link.call("ZRANGEBYSCORE", keys.alive, -now, "(0"))}
        group_consumers = await consumers(self._link, keys)
        owned = {consumer.name: consumer.pending for consumer in group_consumers}
        yield "take over messages of lost workers", sum(owned.get(name, 0) for name in expired)
        yield "delete consumers of lost workers", len(expired)
        own = [consumer.name for consumer in group_consumers if consumer.is_ours]
        yield "mark workers without a lease as lost", await self._without_lease(own)

    async def _without_lease(self, names: Sequence[bytes]) -> int:
        if not names:
            return 0
        return items(await self._link.call("ZMSCORE", self._keys.alive, *names)).count(None)

    async def _parked_without_due(self) -> int:
        keys = self._keys
        rows = items(await self._link.call("XPENDING", keys.stream, keys.group, "-", "+", PAGE, PARKED))
        ids = [raw(items(one)[0]) for one in rows]
        if not ids:
            return 0
        return items(await self._link.call("ZMSCORE", keys.parked, *ids)).count(None)

    async def _due_without_parked(self) -> int:
        ids = [raw(one) for one in items(await self._link.call("ZRANGE", self._keys.parked, 0, PAGE - 1))]
        return sum(not owner for owner in await self._pending(ids, PARKED))

    async def _delayed(self) -> int:
        keys = self._keys
        return abs(await self._count("ZCARD", keys.delayed) - await self._count("HLEN", keys.bodies))

    async def _records(self) -> tuple[int, set[bytes]]:
        """Records of entries that are not pending: how many would be removed, and which entries would come back."""
        keys = self._keys
        _, uncharged = items(await self._link.call("HSCAN", keys.uncharged, 0, "COUNT", PAGE))
        _, crashed = items(await self._link.call("HSCAN", keys.crashed, 0, "COUNT", PAGE))
        named = [*map(raw, items(uncharged)[::2]), *map(raw, items(crashed)[::2])]
        ids = [name for name in dict.fromkeys(named) if ENTRY.fullmatch(name)]
        others = sum(name != COUNT and not ENTRY.fullmatch(name) for name in named)
        gone = {id_ for id_, owner in zip(ids, await self._pending(ids), strict=True) if not owner}
        back = set() if self._spec.stream.foreign_workers else await self._in_stream(gone)
        return sum(name in gone - back for name in named) + others, back

    async def _in_stream(self, ids: set[bytes]) -> set[bytes]:
        """Those of the entries that are in the stream."""
        commands: list[tuple[Argument, ...]] = [("XRANGE", self._keys.stream, id_, id_) for id_ in ids]
        return {id_ for id_, entry in zip(ids, await self._lists(commands), strict=True) if entry}

    async def _not_pending(self) -> tuple[set[bytes], int]:
        """Unfinished entries that are not pending, and the number of finished ones that another group had read."""
        keys = self._keys
        groups = [mapping(one) for one in items(await self._link.call("XINFO", "GROUPS", keys.stream))]
        if len(groups) > 1:
            return set(), 0  # with several groups, it is unknown what is finished
        last = raw(groups[0][b"last-delivered-id"])
        ids = [id_ async for id_ in self._page(keys.stream, last)]
        nowhere = [id_ for id_, owner in zip(ids, await self._pending(ids), strict=True) if not owner]
        commands: list[tuple[Argument, ...]] = [("SISMEMBER", keys.finished, id_) for id_ in nowhere]
        unfinished = {id_ for id_, known in zip(nowhere, await self._replies(commands), strict=True) if not known}
        return unfinished, len(nowhere) - len(unfinished)

    async def _page(self, stream: str, last: bytes) -> AsyncIterator[bytes]:
        """The ids of the first entries of a stream; in small pages while entries are large."""
        begin, seen, size, step = b"-", 0, 0, 1
        while seen < ENTRIES and size < BYTES:
            entries = [items(one) for one in items(await self._link.call("XRANGE", stream, begin, last, "COUNT", step))]
            for id_, fields in entries:
                yield raw(id_)
                begin = b"(" + raw(id_)
                size += sum(len(raw(field)) for field in items(fields))
            seen += len(entries)
            if len(entries) < step:
                return
            step = min(4 * step, ENTRIES - seen)

    async def _pending(self, ids: Iterable[bytes], *owner: str) -> list[list[Reply]]:
        """The pending list's rows for these ids, for one owner if given."""
        keys = self._keys
        return await self._lists([("XPENDING", keys.stream, keys.group, id_, id_, 1, *owner) for id_ in ids])

    async def _lists(self, commands: Sequence[tuple[Argument, ...]]) -> list[list[Reply]]:
        """The replies to these commands, as lists."""
        return [items(one) for one in await self._replies(commands)]

    async def _replies(self, commands: Sequence[tuple[Argument, ...]]) -> list[Reply]:
        """The replies to these commands, which are sent together."""
        replies: list[Reply] = []
        for reply in await self._link.calls(commands) if commands else []:
            if isinstance(reply, Refused):
                raise reply
            replies.append(reply)
        return replies

    async def _older(self, stream: str, oldest: int) -> int:
        """How many entries of a stream are older, counted up to one page."""
        if oldest <= 0:
            return 0
        return len([id_ async for id_ in self._page(stream, f"({oldest}-0".encode())])

    async def _ghosts(self) -> list[PlannedChange | UnknownChange]:
        settings = self._spec.janitor.ghosts
        try:
            ghosts = await Ghosts(self._link, self._keys, settings.idle.amount, self._pods).find()
        except PodsUnknownError as error:
            return [UnknownChange(self._name, "ghosts", str(error))]
        except Refused as refused:
            if no_stream(refused) or without_group(refused):
                return []
            raise
        does = "log ghosts without removing them" if settings.dry_run else "remove ghosts: consumers whose pod is gone"
        return [PlannedChange(self._name, does, len(ghosts))] if ghosts else []


async def plan_rounds(pipelines: Sequence[ResolvedPipeline], links: Sequence[Link], pods: PodsApi) -> list[RoundPlan]:
    """Plan a round for each pipeline. A failure for one does not hide the others."""
    through: dict[Link, list[ResolvedPipeline]] = {}
    for pipeline, link in zip(pipelines, links, strict=True):
        through.setdefault(link, []).append(pipeline)
    results = await asyncio.gather(*(_plan_of_link(link, of, pods) for link, of in through.items()))
    plans = {plan.pipeline: plan for of_link in results for plan in of_link}
    return [plans[pipeline.name] for pipeline in pipelines]


async def _plan_of_link(link: Link, pipelines: Sequence[ResolvedPipeline], pods: PodsApi) -> list[RoundPlan]:
    plans: list[RoundPlan] = []
    unreachable: RedisTrouble | None = None  # the next pipeline would wait for the same
    for pipeline in pipelines:
        if unreachable is None:
            try:
                plans.append(RoundPlan(pipeline.name, tuple(await DryRun(pipeline, link, pods).changes())))
            except RedisTrouble as trouble:
                plans.append(RoundPlan(pipeline.name, (), trouble))
                unreachable = None if isinstance(trouble, Refused) else trouble
        else:
            plans.append(RoundPlan(pipeline.name, (), unreachable))
    return plans
