"""Replays and purges dead letters, or shows what that would do."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from penstock.maintenance.replies import items
from penstock.operating.dead_letters.choice import DeadLetterScan, Filters
from penstock.operating.dead_letters.dead_letter import DeadLetter
from penstock.operating.dead_letters.listing import brief, notes, nothing
from penstock.operating.dead_letters.pace import Pace
from penstock.operating.dead_letters.purge import purge as purging
from penstock.operating.dead_letters.replay import GONE, Replayer, hindrance
from penstock.operating.entry import EntryReader
from penstock.operating.reach import Retrier, as_sentence, link_to
from penstock.operating.table import Column, Table
from penstock.resolved import ResolvedPipeline
from penstock.terminal.output import INCOMPLETE, Progress, print_json, print_line, print_note, print_table
from penstock.wire.credentials import Credentials
from penstock.wire.errors import RedisTrouble, Refused
from penstock.wire.link import Link
from penstock.wire.slot import key_slot
from penstock_spec.findings import CannotGoOn
from penstock_spec.values.display import many, span

LONG = 2000
"""Milliseconds; the duration of a longer replay is announced."""
MOST_FAILURES = 20
"""Failures that are listed one by one."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Which dead letters to replay or purge; without ids and filters, all."""

    pipeline: ResolvedPipeline
    credentials: Credentials
    ids: Sequence[str]
    filters: Filters
    as_json: bool


class Session:
    """A scan of the selected dead letters, with its progress."""

    def __init__(self, plan: Plan, link: Link, does: str = "") -> None:
        """`does` is what is done, in the past tense, such as `replayed`."""
        self.plan = plan
        self.link = link
        self.does = does
        self.done = 0
        self.stop = asyncio.Event()
        self.ask = Retrier(print_note, self.stop)
        reader = EntryReader(plan.pipeline.spec, plan.pipeline.folder)
        self.scan = DeadLetterScan(link, plan.pipeline.keys, reader, ask=self.ask, goes_on=self.goes_on)
        self.now = 0
        self._until = ""
        self.troubles = 0
        self._progress = Progress()

    async def begin(self) -> None:
        """Note the time and the newest dead letter: later ones are not selected."""
        self.now, self._until = await self.scan.now(), await self.scan.last()

    @property
    def letters(self) -> AsyncIterator[DeadLetter]:
        """The selected dead letters, oldest first."""
        if self.plan.ids:
            return self.scan.named(list(dict.fromkeys(self.plan.ids)))
        return self.scan.matching(self.plan.filters, self.now, until=self._until)

    def goes_on(self) -> bool:
        """Show progress; return whether to continue."""
        done = f"{self.does} {self.done}, " if self.does else ""
        self._progress.show(f"{done}checked {self.scan.counts.letters}")
        return not self.stop.is_set()

    def failed(self, letter: DeadLetter, trouble: str) -> None:
        """Report one that failed."""
        self.troubles += 1
        if self.troubles <= MOST_FAILURES:
            self._progress.end()
            print_note(f"{letter.id}: {trouble}")

    def ends(self) -> None:
        """Stop showing progress."""
        self._progress.end()

    def close(self) -> int:
        """Report what was skipped, and return the exit code."""
        self.ends()
        for line in notes(self.scan, self.plan.pipeline):
            print_note(line)
        if self.troubles > MOST_FAILURES:
            print_note(f"... and {self.troubles - MOST_FAILURES} more")
        if not self.done and not self.troubles:
            print_note(nothing(self.plan.pipeline, self.scan.counts.letters))
        incomplete = self.troubles or self.scan.counts.missing or self.stop.is_set() or not self.done
        return INCOMPLETE if incomplete else 0

    def say(self, line: str) -> None:
        """Print a line for people; with `--json` it goes to standard error."""
        (print_note if self.plan.as_json else print_line)(line)


@asynccontextmanager
async def opened(plan: Plan, does: str = "") -> AsyncIterator[Session]:
    """A session, until the block ends."""
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
        """Count a selected dead letter."""
        self.kinds[letter.reason or "-", letter.kind or "-"] += 1

    @property
    def count(self) -> int:
        """All of them."""
        return self.kinds.total()

    def print(self) -> None:
        """Print how many there are of each kind."""
        rows = [[str(count), reason, kind] for (reason, kind), count in self.kinds.most_common()]
        print_table(Table([Column("count", right=True), Column("reason"), Column("error")], rows, [""] * len(rows)))


async def rehearse(plan: Plan, per_second: float | None) -> int:
    """Show what a replay would do, and return the exit code."""
    check_slots(plan.pipeline)
    async with opened(plan) as session:
        code = await _count(session, "replay", hindrance)
        if session.done:
            keys = plan.pipeline.keys
            milliseconds = 0 if per_second is None else 1000 * session.done / per_second
            takes = f", which takes about {span(milliseconds)}" if milliseconds > LONG else ""
            session.say(f"would replay {many(session.done, 'dead letter')} into `{keys.stream}`{takes}")
            groups = await _groups(session.link, keys.stream)
            if groups > 1:
                session.say(
                    f"`{keys.stream}` has {groups} groups: each of them receives the replayed messages, "
                    f"not `{keys.group}` alone"
                )
            session.say("nothing was changed; use `--yes` to do it")
        return code


async def rehearse_purge(plan: Plan) -> int:
    """Show what a purge would do, and return the exit code."""
    async with opened(plan) as session:
        code = await _count(session, "purge", lambda _: "")
        if session.done:
            session.say(f"would delete {many(session.done, 'dead letter')} of `{plan.pipeline.name}` for good")
            session.say("nothing was changed; use `--yes` to do it")
        return code


async def _count(session: Session, verb: str, trouble_of: Callable[[DeadLetter], str]) -> int:
    """Count and report what would be done, and return the exit code."""
    counts, as_json = DryRunCounts(), session.plan.as_json
    async for letter in session.letters:
        if not session.goes_on():
            break
        trouble = trouble_of(letter)
        if trouble:
            session.failed(letter, f"cannot be replayed: {trouble}")
            continue
        session.done += 1
        counts.add(letter)
        if as_json:
            print_json(brief(letter, session.now) | {"would": verb})
    code = session.close()
    if session.stop.is_set():
        print_note("stopped; there may be more")
    if session.done and not as_json:
        counts.print()
        print_line()
    return code


async def _groups(link: Link, stream: str) -> int:
    try:
        return len(items(await link.call("XINFO", "GROUPS", stream)))
    except Refused:
        return 0  # the stream does not exist yet


async def replay(plan: Plan, per_second: float | None) -> int:
    """Replay, and return the exit code."""
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
                print_json({"id": one.letter.id, "entry": one.entry, "replayed": True})
        if not session.goes_on():
            break


async def purge(plan: Plan) -> int:
    """Purge, and return the exit code."""
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
                print_json({"id": letter.id, "purged": True})


async def _finished(session: Session, work: Awaitable[None]) -> int:
    """Await the work, report its result, and return the exit code."""
    try:
        await work
    except RedisTrouble as trouble:
        session.ends()
        return _report_interruption(session, trouble)
    code = session.close()
    if session.done or session.troubles:
        session.say(f"{session.does} {many(session.done, 'dead letter')} of `{session.plan.pipeline.name}`")
    if session.stop.is_set():
        print_note("stopped; run it again for the rest")
    return code


def _report_interruption(session: Session, trouble: RedisTrouble) -> int:
    """Report an interrupted run."""
    sentence = as_sentence(trouble)
    if not session.done:
        raise sentence from trouble
    done = f"{session.does} {many(session.done, 'dead letter')} until then"
    print_note(f"error: {sentence.says}")
    print_note(f"hint: {done}; run it again for the rest: none is lost or duplicated")
    return INCOMPLETE


def check_slots(pipeline: ResolvedPipeline) -> None:
    """Refuse keys in different slots of a cluster: one step reaches one slot only."""
    keys = pipeline.keys
    if pipeline.redis.topology == "cluster" and key_slot(keys.dead.encode()) != key_slot(keys.stream.encode()):
        raise CannotGoOn(
            f"`{keys.dead}` and `{keys.stream}` are in different slots of the cluster, so no step reaches both",
            "leave `dead_letter.key` out of the spec, or give both keys the same hash tag",
        )
