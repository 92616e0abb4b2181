"""Dead letters that are replayed or purged, or would be: said first, and done with `--yes`."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from redis.crc import key_slot

from penstock.command.dead_letters import brief, notes, nothing
from penstock.command.operating import INCOMPLETE, Progress, aside, tell, tell_json, tell_table
from penstock.operating.entry import Lens
from penstock.operating.letters.choice import Filters, Walk
from penstock.operating.letters.dead_letter import DeadLetter
from penstock.operating.letters.pace import Pace
from penstock.operating.letters.purge import purge as purging
from penstock.operating.letters.replay import Replayer, hindrance
from penstock.operating.reach import Insistence, as_sentence, link_to
from penstock.operating.spans import many, span
from penstock.operating.table import Column, Table
from penstock.resolved import Resolved
from penstock.tending.replies import items
from penstock.wire.credentials import Credentials
from penstock.wire.errors import RedisTrouble, Refused
from penstock.wire.link import Link
from penstock_spec.findings import CannotGoOn

A_WHILE = 2000
"""Milliseconds from which on it is told how long a replay takes."""
MOST_TROUBLES = 20
"""Letters that could not be replayed and are told one by one."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Which letters are meant. Nothing said is all of them."""

    pipeline: Resolved
    credentials: Credentials
    ids: Sequence[str]
    filters: Filters
    as_json: bool


@dataclass(slots=True)
class Session:
    """A connection, and a walk over the letters that are meant."""

    plan: Plan
    link: Link
    walk: Walk
    now: int
    until: str
    """The newest letter when it began: what dies later is not meant."""
    ask: Insistence
    stop: asyncio.Event
    troubles: int = 0

    @property
    def letters(self) -> AsyncIterator[DeadLetter]:
        """Those that are meant, the oldest first."""
        if self.plan.ids:
            return self.walk.named(list(dict.fromkeys(self.plan.ids)))
        return self.walk.chosen(self.plan.filters, self.now, until=self.until or "+")

    def failed(self, letter: DeadLetter, trouble: str) -> None:
        """Tell of one that stays, or is gone."""
        self.troubles += 1
        if self.troubles <= MOST_TROUBLES:
            aside(f"{letter.id}: {trouble}")

    def close(self, done: int) -> int:
        """Tell what was left out. Gives an exit code."""
        for line in notes(self.walk, self.plan.pipeline):
            aside(line)
        if self.troubles > MOST_TROUBLES:
            aside(f"... and {self.troubles - MOST_TROUBLES} more")
        incomplete = self.troubles or self.walk.seen.missing or self.stop.is_set() or not done
        return INCOMPLETE if incomplete else 0


@asynccontextmanager
async def opened(plan: Plan) -> AsyncIterator[Session]:
    """Until the letters are through."""
    stop = asyncio.Event()
    ask = Insistence(aside, stop)
    async with link_to(plan.pipeline, plan.credentials, "dlq") as link:
        walk = Walk(link, plan.pipeline.keys, Lens(plan.pipeline.spec, plan.pipeline.folder), ask=ask)
        with interruptible(stop):
            yield Session(plan, link, walk, await walk.now(), await walk.last(), ask, stop)


@contextmanager
def interruptible(stop: asyncio.Event) -> Iterator[None]:
    """The first Ctrl-C lets what is under way end; the second ends all at once."""
    loop = asyncio.get_running_loop()

    def interrupted() -> None:
        stop.set()
        loop.remove_signal_handler(signal.SIGINT)

    loop.add_signal_handler(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


@dataclass(slots=True)
class Tally:
    """What a rehearsal counts."""

    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)
    stuck: int = 0

    def add(self, letter: DeadLetter) -> None:
        """One that is meant."""
        self.kinds[letter.reason or "-", letter.kind or "-"] += 1

    @property
    def count(self) -> int:
        """All of them."""
        return self.kinds.total()

    def tell(self) -> None:
        """How many of each kind."""
        rows = [[str(count), reason, kind] for (reason, kind), count in self.kinds.most_common()]
        tell_table(Table([Column("letters", right=True), Column("reason"), Column("error")], rows, [""] * len(rows)))


async def rehearse(plan: Plan, per_second: float | None) -> int:
    """Say what a replay would do, and change nothing. Gives an exit code."""
    check_slots(plan.pipeline)
    tally = Tally()
    async with opened(plan) as session:
        async for letter in session.letters:
            if session.stop.is_set():
                break
            trouble = hindrance(letter)
            if trouble:
                session.failed(letter, f"it cannot be replayed: {trouble}")
                continue
            tally.add(letter)
            if plan.as_json:
                tell_json(brief(letter, session.now) | {"would": "replay"})
        code = session.close(tally.count)
        keys = plan.pipeline.keys
        if not tally.count:
            aside(nothing(plan.pipeline, session.walk.seen.letters))
            return code
        if not plan.as_json:
            tally.tell()
            tell()
        milliseconds = 0 if per_second is None else 1000 * tally.count / per_second
        takes = f", which takes about {span(milliseconds)}" if milliseconds > A_WHILE else ""
        say = aside if plan.as_json else tell
        say(f"would replay {many(tally.count, 'dead letter')} into `{keys.stream}`{takes}")
        groups = await _groups(session.link, keys.stream)
        if groups > 1:
            say(
                f"`{keys.stream}` has {groups} groups: each of them is given what is replayed, not `{keys.group}` alone"
            )
        say("nothing was changed; `--yes` does it")
        return code


async def _groups(link: Link, stream: str) -> int:
    try:
        return len(items(await link.call("XINFO", "GROUPS", stream)))
    except Refused:
        return 0  # there is no stream yet


async def replay(plan: Plan, per_second: float | None) -> int:
    """Do it. Gives an exit code."""
    check_slots(plan.pipeline)
    done, progress = 0, Progress()
    async with opened(plan) as session:
        pace = Pace(per_second, sleep=session.ask.stopped)
        goes_on: Callable[[], bool] = lambda: not session.stop.is_set()  # noqa: E731 - its type is said
        replayer = Replayer(session.link, plan.pipeline.keys, pace, ask=session.ask, goes_on=goes_on)
        try:
            await replayer.prepare()
            async for one in replayer.replay(session.letters):
                if one.trouble:
                    session.failed(one.letter, f"not replayed: {one.trouble}")
                else:
                    done += 1
                    if plan.as_json:
                        tell_json({"id": one.letter.id, "entry": one.entry, "replayed": True})
                progress.show(f"replayed {done}, looked at {session.walk.seen.letters}")
                if session.stop.is_set():
                    break
        except RedisTrouble as trouble:
            progress.end()
            return _broke_off("replayed", done, trouble)
        progress.end()
        return _told("replayed", done, session)


async def rehearse_purge(plan: Plan) -> int:
    """Say what a purge would do, and change nothing. Gives an exit code."""
    tally = Tally()
    async with opened(plan) as session:
        async for letter in session.letters:
            if session.stop.is_set():
                break
            tally.add(letter)
            if plan.as_json:
                tell_json(brief(letter, session.now) | {"would": "purge"})
        code = session.close(tally.count)
        if not tally.count:
            aside(nothing(plan.pipeline, session.walk.seen.letters))
            return code
        if not plan.as_json:
            tally.tell()
            tell()
        say = aside if plan.as_json else tell
        say(f"would delete {many(tally.count, 'dead letter')} of `{plan.pipeline.name}` for good")
        say("nothing was changed; `--yes` does it")
        return code


async def purge(plan: Plan) -> int:
    """Do it. Gives an exit code."""
    done, progress = 0, Progress()
    async with opened(plan) as session:
        try:
            async for letters, deleted in purging(session.link, plan.pipeline.keys, session.letters, ask=session.ask):
                done += deleted
                if plan.as_json:
                    for one in letters:
                        tell_json({"id": one.id, "purged": True})
                progress.show(f"deleted {done}, looked at {session.walk.seen.letters}")
                if session.stop.is_set():
                    break
        except RedisTrouble as trouble:
            progress.end()
            return _broke_off("deleted", done, trouble)
        progress.end()
        return _told("deleted", done, session)


def _told(what: str, done: int, session: Session) -> int:
    plan = session.plan
    code = session.close(done)
    if not done and not session.troubles:
        aside(nothing(plan.pipeline, session.walk.seen.letters))
    else:
        (aside if plan.as_json else tell)(f"{what} {many(done, 'dead letter')} of `{plan.pipeline.name}`")
    if session.stop.is_set():
        aside("it was stopped; run it again for the rest")
    return code


def _broke_off(what: str, done: int, trouble: RedisTrouble) -> int:
    """Some may have happened, and the rest has not."""
    sentence = as_sentence(trouble)
    if not done:
        raise sentence from trouble
    aside(f"error: {sentence.says}")
    aside(
        f"hint: {what} {many(done, 'dead letter')} until then; run it again for the rest: none is lost, none is doubled"
    )
    return INCOMPLETE


def check_slots(pipeline: Resolved) -> None:
    """On a cluster one step reaches only what lies in one slot."""
    keys = pipeline.keys
    if pipeline.redis.topology == "cluster" and key_slot(keys.dead.encode()) != key_slot(keys.stream.encode()):
        raise CannotGoOn(
            f"`{keys.dead}` and `{keys.stream}` lie in different slots of the cluster, and no step moves a letter",
            "leave `dead_letter.key` out of the spec, or give both keys the same hash tag",
        )
