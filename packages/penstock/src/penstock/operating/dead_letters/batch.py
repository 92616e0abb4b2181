"""Replays and purges dead letters, or with neither shows what would be done."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from redis.crc import key_slot

from penstock.maintenance.replies import items
from penstock.operating.dead_letters.choice import Filters, Walk
from penstock.operating.dead_letters.dead_letter import DeadLetter
from penstock.operating.dead_letters.listing import brief, notes, nothing
from penstock.operating.dead_letters.pace import Pace
from penstock.operating.dead_letters.purge import purge as purging
from penstock.operating.dead_letters.replay import GONE, Replayer, hindrance
from penstock.operating.entry import Lens
from penstock.operating.reach import Insistence, as_sentence, link_to
from penstock.operating.table import Column, Table
from penstock.resolved import ResolvedPipeline
from penstock.terminal.output import INCOMPLETE, Progress, aside, tell, tell_json, tell_table
from penstock.wire.credentials import Credentials
from penstock.wire.errors import RedisTrouble, Refused
from penstock.wire.link import Link
from penstock_spec.findings import CannotGoOn
from penstock_spec.values.display import many, span

A_WHILE = 2000
"""Milliseconds; the duration of a longer replay is announced."""
MOST_TROUBLES = 20
"""Failures that are listed one by one."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Which dead letters to process; without ids and filters, all."""

    pipeline: ResolvedPipeline
    credentials: Credentials
    ids: Sequence[str]
    filters: Filters
    as_json: bool


class Session:
    """A walk over the selected dead letters, with its progress."""

    def __init__(self, plan: Plan, link: Link, does: str = "") -> None:
        """`does` names what is done, in the past tense."""
        self.plan = plan
        self.link = link
        self.does = does
        self.done = 0
        self.stop = asyncio.Event()
        self.ask = Insistence(aside, self.stop)
        lens = Lens(plan.pipeline.spec, plan.pipeline.folder)
        self.walk = Walk(link, plan.pipeline.keys, lens, ask=self.ask, goes_on=self.goes_on)
        self.now = 0
        self._until = ""
        self.troubles = 0
        self._progress = Progress()

    async def begin(self) -> None:
        """Note the time and the newest dead letter: later ones are not selected."""
        self.now, self._until = await self.walk.now(), await self.walk.last()

    @property
    def letters(self) -> AsyncIterator[DeadLetter]:
        """The selected dead letters, oldest first."""
        if self.plan.ids:
            return self.walk.named(list(dict.fromkeys(self.plan.ids)))
        return self.walk.chosen(self.plan.filters, self.now, until=self._until)

    def goes_on(self) -> bool:
        """Show progress; return whether to continue."""
        done = f"{self.does} {self.done}, " if self.does else ""
        self._progress.show(f"{done}looked at {self.walk.seen.letters}")
        return not self.stop.is_set()

    def failed(self, letter: DeadLetter, trouble: str) -> None:
        """Report one that was not processed."""
        self.troubles += 1
        if self.troubles <= MOST_TROUBLES:
            self._progress.end()
            aside(f"{letter.id}: {trouble}")

    def ends(self) -> None:
        """Stop showing progress."""
        self._progress.end()

    def close(self) -> int:
        """Report what was left out, and return the exit code."""
        self.ends()
        for line in notes(self.walk, self.plan.pipeline):
            aside(line)
        if self.troubles > MOST_TROUBLES:
            aside(f"... and {self.troubles - MOST_TROUBLES} more")
        if not self.done and not self.troubles:
            aside(nothing(self.plan.pipeline, self.walk.seen.letters))
        incomplete = self.troubles or self.walk.seen.missing or self.stop.is_set() or not self.done
        return INCOMPLETE if incomplete else 0

    def say(self, line: str) -> None:
        """Print a line for people."""
        (aside if self.plan.as_json else tell)(line)


@asynccontextmanager
async def opened(plan: Plan, does: str = "") -> AsyncIterator[Session]:
    """A session, until all dead letters are processed."""
    async with link_to(plan.pipeline, plan.credentials, "dlq") as link:
        session = Session(plan, link, does)
        with interruptible(session.stop):
            await session.begin()
            yield session


@contextmanager
def interruptible(stop: asyncio.Event) -> Iterator[None]:
    """Let the first Ctrl-C finish the current step, and the second stop at once."""
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
class DryRunCounts:
    """Dead letters by reason and type of error."""

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
    """Show what a replay would do, and return the exit code."""
    check_slots(plan.pipeline)
    async with opened(plan) as session:
        code = await _tallied(session, "replay", hindrance)
        if session.done:
            keys = plan.pipeline.keys
            milliseconds = 0 if per_second is None else 1000 * session.done / per_second
            takes = f", which takes about {span(milliseconds)}" if milliseconds > A_WHILE else ""
            session.say(f"would replay {many(session.done, 'dead letter')} into `{keys.stream}`{takes}")
            groups = await _groups(session.link, keys.stream)
            if groups > 1:
                session.say(
                    f"`{keys.stream}` has {groups} groups: each of them is given what is replayed, "
                    f"not `{keys.group}` alone"
                )
            session.say("nothing was changed; use `--yes` to do it")
        return code


async def rehearse_purge(plan: Plan) -> int:
    """Show what a purge would do, and return the exit code."""
    async with opened(plan) as session:
        code = await _tallied(session, "purge", lambda _: "")
        if session.done:
            session.say(f"would delete {many(session.done, 'dead letter')} of `{plan.pipeline.name}` for good")
            session.say("nothing was changed; use `--yes` to do it")
        return code


async def _tallied(session: Session, would: str, trouble_of: Callable[[DeadLetter], str]) -> int:
    """Count and report what would be done, and return the exit code."""
    tally, as_json = DryRunCounts(), session.plan.as_json
    async for letter in session.letters:
        if not session.goes_on():
            break
        trouble = trouble_of(letter)
        if trouble:
            session.failed(letter, f"cannot be replayed: {trouble}")
            continue
        session.done += 1
        tally.add(letter)
        if as_json:
            tell_json(brief(letter, session.now) | {"would": would})
    code = session.close()
    if session.stop.is_set():
        aside("stopped; there may be more")
    if session.done and not as_json:
        tally.tell()
        tell()
    return code


async def _groups(link: Link, stream: str) -> int:
    try:
        return len(items(await link.call("XINFO", "GROUPS", stream)))
    except Refused:
        return 0  # there is no stream yet


async def replay(plan: Plan, per_second: float | None) -> int:
    """Do it, and return the exit code."""
    check_slots(plan.pipeline)
    async with opened(plan, "replayed") as session:
        return await _finished(session, _replay(session, per_second))


async def _replay(session: Session, per_second: float | None) -> None:
    pace = Pace(per_second, sleep=session.ask.stopped)
    keys = session.plan.pipeline.keys
    replayer = Replayer(session.link, keys, pace, ask=session.ask, goes_on=session.goes_on)
    await replayer.prepare()
    async for one in replayer.replay(session.letters):
        if one.trouble:
            session.failed(one.letter, f"not replayed: {one.trouble}")
        else:
            session.done += 1
            if session.plan.as_json:
                tell_json({"id": one.letter.id, "entry": one.entry, "replayed": True})
        if not session.goes_on():
            break


async def purge(plan: Plan) -> int:
    """Do it, and return the exit code."""
    async with opened(plan, "deleted") as session:
        return await _finished(session, _purge(session))


async def _purge(session: Session) -> None:
    keys = session.plan.pipeline.keys
    async for one in purging(session.link, keys, session.letters, ask=session.ask, goes_on=session.goes_on):
        for letter in one.gone:
            session.failed(letter, f"not deleted: {GONE}")
        session.done += len(one.deleted)
        if session.plan.as_json:
            for letter in one.deleted:
                tell_json({"id": letter.id, "purged": True})


async def _finished(session: Session, work: Awaitable[None]) -> int:
    """Do the work, report it, and return the exit code."""
    try:
        await work
    except RedisTrouble as trouble:
        session.ends()
        return _broke_off(session, trouble)
    code = session.close()
    if session.done or session.troubles:
        session.say(f"{session.does} {many(session.done, 'dead letter')} of `{session.plan.pipeline.name}`")
    if session.stop.is_set():
        aside("stopped; run it again for the rest")
    return code


def _broke_off(session: Session, trouble: RedisTrouble) -> int:
    """Report an interrupted run."""
    sentence = as_sentence(trouble)
    if not session.done:
        raise sentence from trouble
    told = f"{session.does} {many(session.done, 'dead letter')} until then"
    aside(f"error: {sentence.says}")
    aside(f"hint: {told}; run it again for the rest: none is lost or duplicated")
    return INCOMPLETE


def check_slots(pipeline: ResolvedPipeline) -> None:
    """Refuse keys in different slots of a cluster: one step reaches one slot only."""
    keys = pipeline.keys
    if pipeline.redis.topology == "cluster" and key_slot(keys.dead.encode()) != key_slot(keys.stream.encode()):
        raise CannotGoOn(
            f"`{keys.dead}` and `{keys.stream}` are in different slots of the cluster, so no step reaches both",
            "leave `dead_letter.key` out of the spec, or give both keys the same hash tag",
        )
