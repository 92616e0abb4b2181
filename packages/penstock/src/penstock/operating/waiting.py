"""Reads waiting and running messages by state, without changing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from penstock.keys import PARKED, READY, STATES, SUSPECT, PipelineKeys
from penstock.maintenance.replies import items, mapping, no_stream, number, raw, text, without_group
from penstock.message.ulid import is_ulid
from penstock.operating.entry import Entry
from penstock.operating.packed import unpacked_fields
from penstock.operating.paging import Pages
from penstock.wire.command import Argument
from penstock.wire.errors import Refused, Reply
from penstock.wire.link import Link

State = Literal["new", "running", "ready", "suspect", "parked", "delayed"]
ALL: Sequence[State] = get_args(State)
OWNERS: Mapping[State, str] = {"ready": READY, "suspect": SUSPECT, "parked": PARKED}
MOST_CONSUMERS = 200
"""Consumers whose messages are listed."""
STATE_OF: Mapping[str, State] = {owner: state for state, owner in OWNERS.items()}


@dataclass(frozen=True, slots=True)
class Pending:
    """A row of the pending list."""

    id: str
    owner: str
    idle: int
    """ms since its last delivery."""
    deliveries: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """One message. Values that its state does not have are None."""

    state: str
    id: str
    """The entry's id; a delayed message's own id."""
    entry: Entry | None
    """None if it was deleted or cannot be read."""
    pending: Pending | None = None
    attempts: int | None = None
    due: int | None = None
    """ms since 1970, Redis time."""
    trouble: str = ""
    """Why the entry cannot be read."""


class Peek:
    """Reads the messages of one pipeline."""

    def __init__(self, link: Link, keys: PipelineKeys) -> None:
        """Send nothing yet."""
        self._link = link
        self._keys = keys

    async def first(self, state: State, most: int) -> list[Waiting]:
        """The oldest messages of a state, or those due next. Raises RedisTrouble."""
        try:
            match state:
                case "new":
                    return await self._new(most)
                case "running":
                    return await self._with_entries(await self._running(most))
                case "parked":
                    return await self._parked(most)
                case "delayed":
                    return await self._delayed(most)
                case "ready" | "suspect":
                    return await self._with_entries(await self._owned([OWNERS[state]], most))
        except Refused as refused:
            if without_group(refused) or no_stream(refused):
                return []
            raise

    async def one(self, id_: str) -> Waiting | None:
        """Find an entry by its id, or a delayed message by its own id. Raises RedisTrouble."""
        if is_ulid(id_):
            due = await self._link.call("ZSCORE", self._keys.delayed, id_)
            return None if due is None else (await self._delayed_ones([(id_, _time(due))]))[0]
        try:
            matches = await self._with_entries(await self._pending_of([id_]))
        except Refused as refused:
            if not without_group(refused):
                raise
            matches = []
        for match in matches:
            due = await self._link.call("ZSCORE", self._keys.parked, id_) if match.state == "parked" else None
            return match if due is None else replace(match, due=_time(due))
        entry = (await self._entries([id_]))[0]
        if entry is None:
            return None
        last = await self._last_delivered()
        return Waiting("new" if last is None or _order(id_) > _order(last) else "pending nowhere", id_, entry)

    async def _new(self, most: int) -> list[Waiting]:
        last = await self._last_delivered()
        start = "-" if last is None else f"({last}"
        entries: list[Entry] = []
        async for page in Pages(self._link, self._keys.stream).between(start, "+"):
            entries += page
            if len(entries) >= most:
                break
        return [Waiting("new", entry.id, entry) for entry in entries[:most]]

    async def _last_delivered(self) -> str | None:
        """The id of the last delivered entry; None if the group does not exist."""
        try:
            groups = items(await self._link.call("XINFO", "GROUPS", self._keys.stream))
        except Refused as refused:
            if no_stream(refused):
                return None
            raise
        for reply in groups:
            group = mapping(reply)
            if group[b"name"] == self._keys.group.encode():
                return text(group[b"last-delivered-id"])
        return None

    async def _running(self, most: int) -> list[Pending]:
        """The oldest messages among the oldest of each consumer."""
        replies = items(await self._link.call("XINFO", "CONSUMERS", self._keys.stream, self._keys.group))
        consumers = map(mapping, replies)
        owners = [raw(one[b"name"]) for one in consumers if text(one[b"name"]) not in STATES and one[b"pending"]]
        return sorted(await self._owned(owners[:MOST_CONSUMERS], most), key=lambda one: _order(one.id))[:most]

    async def _owned(self, owners: Sequence[Argument], most: int) -> list[Pending]:
        keys = self._keys
        replies = await self._all([("XPENDING", keys.stream, keys.group, "-", "+", most, owner) for owner in owners])
        return [_pending(one) for reply in replies for one in items(reply)]

    async def _parked(self, most: int) -> list[Waiting]:
        due = await self._due(self._keys.parked, most)
        waiting = await self._with_entries(await self._pending_of([id_ for id_, _ in due]))
        times = dict(due)
        return [replace(one, due=times[one.id]) for one in waiting if one.state == "parked"]

    async def _delayed(self, most: int) -> list[Waiting]:
        return await self._delayed_ones(await self._due(self._keys.delayed, most))

    async def _delayed_ones(self, due: Sequence[tuple[str, int | None]]) -> list[Waiting]:
        bodies = await self._all([("HGET", self._keys.bodies, id_) for id_, _ in due])
        return [_delayed(id_, body, time) for (id_, time), body in zip(due, bodies, strict=True)]

    async def _due(self, key: str, most: int) -> list[tuple[str, int | None]]:
        """The members that are due next, with their due times."""
        members = items(await self._link.call("ZRANGE", key, 0, most - 1, "WITHSCORES"))
        return [(text(id_), _time(due)) for id_, due in zip(members[::2], members[1::2], strict=True)]

    async def _pending_of(self, ids: Sequence[str]) -> list[Pending]:
        keys = self._keys
        replies = await self._all([("XPENDING", keys.stream, keys.group, id_, id_, 1) for id_ in ids])
        return [_pending(one) for reply in replies for one in items(reply)]

    async def _with_entries(self, pending: Sequence[Pending]) -> list[Waiting]:
        entries = await self._entries([one.id for one in pending])
        counts = await self._all([("HGET", self._keys.uncharged, one.id) for one in pending])
        waiting = []
        for one, entry, not_charged in zip(pending, entries, counts, strict=True):
            uncharged = _count(not_charged)
            attempts = None if uncharged is None else one.deliveries - uncharged
            waiting.append(Waiting(STATE_OF.get(one.owner, "running"), one.id, entry, one, attempts))
        return waiting

    async def _entries(self, ids: Sequence[str]) -> list[Entry | None]:
        replies = await self._all([("XRANGE", self._keys.stream, id_, id_) for id_ in ids])
        return [Entry.of(entries[0]) if (entries := items(reply)) else None for reply in replies]

    async def _all(self, commands: Sequence[tuple[Argument, ...]]) -> list[Reply]:
        """Send all commands together; raise the first error."""
        answers: list[Reply] = []
        for answer in await self._link.calls(commands) if commands else ():
            if isinstance(answer, Refused):
                raise answer
            answers.append(answer)
        return answers


def _delayed(id_: str, body: Reply, due: int | None) -> Waiting:
    if body is None:
        return Waiting("delayed", id_, None, due=due)
    try:
        return Waiting("delayed", id_, Entry(id_, unpacked_fields(raw(body))), due=due)
    except ValueError:
        return Waiting("delayed", id_, None, due=due, trouble="its body has an unknown format")


def _time(score: Reply) -> int | None:
    """A due time; None if it is not one, such as `inf`."""
    try:
        return int(float(raw(score)))
    except OverflowError:
        return None


def _count(value: Reply) -> int | None:
    """The count of a record `count@delivery`; None if it is not a number."""
    try:
        return int(raw(value or b"0").partition(b"@")[0])
    except ValueError:
        return None


def _pending(reply: Reply) -> Pending:
    id_, owner, idle, count = items(reply)
    return Pending(text(id_), text(owner), number(idle), number(count))


def _order(id_: str) -> tuple[int, int]:
    ms, _, seq = id_.partition("-")
    return int(ms), int(seq)
