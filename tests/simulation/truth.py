"""What really happens, seen from outside: every delivery, every handler, every step at the server.

Nothing here asks the code under test. What must never be is told as a violation at the moment at which it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from penstock.keys import PARKED, STATES, SUSPECT, Keys
from penstock.wire.errors import Refused, Reply
from penstock.wire.words import Word

from .plan import Said, Setup

FORCE = 1000
"""What a claim by force adds to delivery counts."""


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that must never be."""

    kind: str
    says: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.says}"


@dataclass(slots=True)
class Given:
    """One delivery of an entry to a consumer."""

    entry: bytes
    consumer: str
    count: int
    process: str
    source: str
    run: Run | None = None
    freed: bool = False
    """It was given back, and counts for nothing."""


@dataclass(slots=True, eq=False)
class Run:
    """One call of a handler."""

    message: Message
    entry: bytes
    process: str
    consumer: str
    count: int
    attempt: int
    apart: bool
    why: Callable[[], str | None]
    """Why it was cancelled, if it was."""
    how: str = ""
    """How it ended; nothing while it goes on."""
    givens: list[Given] = field(default_factory=list)

    @property
    def goes_on(self) -> bool:
        return not self.how


@dataclass(slots=True)
class Message:
    """One message that was sent, or was to be sent."""

    said: Said
    acked: bool = False
    """The sender was told that it is there."""
    entered: int = 0
    """How often it really was taken."""
    done: int = 0
    dead: list[str] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    givens: list[Given] = field(default_factory=list)
    forced: int = 0
    """Deliveries before it was brought back by force."""
    uncounted: bool = False
    """Somebody deleted what was counted."""
    foreign: bool = False
    """Somebody else's hand took it from whoever had it."""

    @property
    def name(self) -> str:
        return self.said.name

    @property
    def ended(self) -> int:
        return self.done + len(self.dead)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the server has, at one moment."""

    entries: dict[bytes, bytes]
    """The body of each entry in the stream."""
    pending: dict[bytes, tuple[str, int]] | None
    """Owner and delivery count; nothing when there is no group."""
    due: set[bytes]
    """Entries with a due time."""


class Truth:
    """Told of everything by the server and by the handlers."""

    def __init__(self, setup: Setup, keys: Keys, tell: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._setup = setup
        self._keys = keys
        self._tell = tell
        self._clock = clock
        self.messages = {one.name: Message(one) for one in setup.messages}
        self.violations: list[Violation] = []
        self.entries: dict[bytes, Message] = {}
        self.current: dict[bytes, Given | None] = {}
        self.fences: set[tuple[bytes, int]] = set()
        self.lost: set[str] = set()
        """Consumers that were taken over."""
        self.renewed: dict[str, float] = {}
        """When each lease was last renewed."""
        self.process_of: dict[str, str] = {}
        """By consumer."""
        self.lives: dict[str, str] = {}
        """The consumer that a process has renewed last."""
        self.tainted: set[str] = set()
        """What foreign hands have done."""
        self.last = Seen({}, {}, set())
        self.healthy: Callable[[str], bool] = lambda _: False
        """Whether nothing keeps a consumer's worker from its lease."""

    def violate(self, kind: str, says: str) -> None:
        self.violations.append(Violation(kind, says))
        self._tell(f"!!! {kind}: {says}")

    # -- handlers ---------------------------------------------------------------------------------------------------

    def begins(  # noqa: PLR0913 - what there is to say of it
        self,
        name: str,
        entry: bytes,
        process: str,
        fence: tuple[str, int],
        attempt: int,
        why: Callable[[], str | None],
        *,
        apart: bool,
    ) -> Run:
        """A handler is called."""
        message = self.messages[name]
        consumer, count = fence
        run = Run(message, entry, process, consumer, count, attempt, apart, why)
        self._tell(f"{process} begins {name}, attempt {attempt}, fence {count} of {consumer}{' apart' * apart}")
        given = self.current.get(entry)
        known = given is not None and (given.consumer, given.count) == fence
        if given is not None and known:
            given.run = run
            run.givens.append(given)
        elif consumer not in self.lost and not message.foreign:
            now = "nobody's" if given is None else f"{given.count} of {given.consumer}"
            self.violate("phantom-start", f"{process} begins {name} as {count} of {consumer}, and it is {now}")
        for other in message.runs:
            if other.goes_on and consumer not in self.lost and not self._may_go_on(other):
                self.violate("at-once", f"{process} begins {name}, which still runs on {other.process}")
        beside = [one for one in self._going_on(process) if one.message is not message]
        if len(beside) + 1 > self._setup.concurrency:
            self.violate("too-many-running", f"{process} runs {len(beside) + 1}")
        for one in (run, *beside):
            if one.attempt > self._setup.attempts and beside and not one.message.uncounted:
                self.violate("company", f"{process} runs {one.message.name} beside others, though it is its last chance")
        charged = sum(not one.freed for one in message.givens[message.forced :])
        if charged > self._setup.attempts + 1 and not message.uncounted:
            self.violate("too-many-attempts", f"{name}: this is the {charged}th of {self._setup.attempts}")
        message.runs.append(run)
        return run

    def ends(self, run: Run, how: str) -> None:
        """It returned, failed, or was ended."""
        if run.goes_on:
            run.how = how
            self._tell(f"{run.process} ends {run.message.name}: {how}")

    def crashes(self, process: str, cause: Message | None) -> None:
        """A process ends with all that runs there."""
        for run in self._going_on(process):
            word = "outside" if cause is None else "own" if run.message is cause else "company"
            self.ends(run, f"crash-{word}")

    def leaves(self, process: str) -> None:
        """A process ends, and what was cancelled there and does not listen with it."""
        for run in self._going_on(process):
            if run.why() is None:
                self.violate("left", f"{process} ends while {run.message.name} runs there")
            self.ends(run, "left")

    def _going_on(self, process: str) -> list[Run]:
        return [
            run for one in self.messages.values() for run in one.runs if run.goes_on and run.process == process
        ]

    def _may_go_on(self, run: Run) -> bool:
        """A lost lease, a foreign hand, or having been cancelled excuses a handler that runs beside another."""
        return run.consumer in self.lost or run.message.foreign or run.why() is not None

    # -- the server -------------------------------------------------------------------------------------------------

    def sees(self, process: str, name: str, words: Sequence[Word], reply: Reply | Refused) -> bool:
        """A command was executed; whether it may have changed something that counts."""
        if isinstance(reply, Refused):
            return False
        if name == "XREADGROUP":
            self._read(process, str(words[3]), reply)
            return reply is not None
        if words[0] not in ("EVALSHA", "EVAL"):
            return False
        args = words[3 + int(words[2]) :]
        return _SCRIPTS[name](self, process, args, reply) if name in _SCRIPTS else name not in _QUIET

    def _read(self, process: str, consumer: str, reply: Reply) -> None:
        if reply is None:
            return
        ((_, entries),) = cast("list[tuple[bytes, list[tuple[bytes, list[bytes]]]]]", reply)
        for id_, fields in entries:
            self._given(id_, fields, Given(id_, consumer, 1, process, ""))

    def _claim(self, process: str, args: Sequence[Word], reply: Reply) -> bool:
        if not isinstance(reply, list):
            return False
        for row in cast("list[tuple[bytes, int, int, bytes, list[bytes]]]", reply[2:]):
            id_, count, _, source, fields = row
            if str(args[1]) in self.lost:
                self.violate("claimed-by-the-lost", f"{args[1]!s} claims, and was taken over")
            self._given(id_, fields, Given(id_, str(args[1]), count, process, source.decode()))
        return len(reply) > 2 or reply[0] != 0

    def _given(self, entry: bytes, fields: Sequence[bytes], given: Given) -> None:
        message = self.message_of(entry, fields)
        self._tell(f"{given.process} is given {message.name} as {given.count} of {given.consumer} {given.source}".rstrip())
        if (entry, given.count) in self.fences and not {"position", "uncharged"} & self.tainted:
            self.violate("fence-twice", f"{message.name} was given as {given.count} before")
        self.fences.add((entry, given.count))
        message.givens.append(given)
        self.current[entry] = given

    def message_of(self, entry: bytes, fields: Sequence[bytes]) -> Message:
        message = self.entries.get(entry)
        if message is None:
            message = self.entries[entry] = self.messages[_name(fields)]
        return message

    def _settle(self, process: str, args: Sequence[Word], reply: Reply) -> bool:
        return self._left("settle", process, str(args[1]), _tuples(args[5:], 2), reply)

    def _settle_with(self, process: str, args: Sequence[Word], reply: Reply) -> bool:
        return self._left("settle", process, str(args[1]), _tuples(args[-2:], 2), reply)

    def _park(self, process: str, args: Sequence[Word], reply: Reply) -> bool:
        return self._left("park", process, str(args[1]), _tuples(args[4:], 5), reply)

    def _give_back(self, process: str, args: Sequence[Word], reply: Reply) -> bool:
        return self._left("give back", process, str(args[1]), _tuples(args[4:], 4), reply)

    def _bury(self, process: str, args: Sequence[Word], reply: Reply) -> bool:
        values = [one if isinstance(one, bytes) else str(one).encode() for one in args[5 : 5 + int(args[4])]]
        reason = values[values.index(b"penstock-dead-reason") + 1].decode()
        return self._left("bury", process, str(args[1]), _tuples(args[-2:], 2), reply, reason)

    def _left(  # noqa: PLR0913, PLR0917 - what a step out of running is
        self, step: str, process: str, consumer: str, rows: list[tuple[Word, ...]], reply: Reply, reason: str = ""
    ) -> bool:
        answers = cast("list[Reply]", reply)
        for row, answer in zip(rows, answers, strict=True):
            entry, count = cast("bytes", row[0]), int(row[1])
            message = self.entries.get(entry)
            if message is None:
                continue
            told = "" if answer == 1 else " in vain" + (f": {answer[0]!r} {answer[1]!r}" if isinstance(answer, list) else "")
            self._tell(f"{process} {step}s {message.name} as {count} of {consumer}{told} {reason}".rstrip())
            if answer != 1:
                continue
            given = self.current.get(entry)
            if given is None or (given.consumer, given.count) != (consumer, count):
                now = "nobody's" if given is None else f"{given.count} of {given.consumer}"
                self.violate("not-the-owner", f"{process} {step}s {message.name} as {count} of {consumer}; it is {now}")
                given = None
            self.current[entry] = None
            self._check_step(step, process, message, given, row, reason)
        return any(answer == 1 for answer in answers)

    def _check_step(  # noqa: PLR0913, PLR0917 - as above
        self, step: str, process: str, message: Message, given: Given | None, row: tuple[Word, ...], reason: str
    ) -> None:
        if step == "settle":
            message.done += 1
            if not any(run.how == "ok" and run.process == process for run in message.runs):
                self.violate("settled-unworked", f"{process} settles {message.name}, which it never finished")
        elif step == "give back" and given is not None:
            for one in given.run.givens if given.run is not None else [given]:
                one.freed = True
            given.freed = True
        elif step == "park" and given is not None:
            chain = [one for one in message.givens if one.consumer == given.consumer and not one.freed and one is not given]
            for one in chain[len(chain) - int(row[3]) :]:
                one.freed = True
        elif step == "bury":
            message.dead.append(reason)
            self._check_burial(message, None if given is None else given.run, reason)

    def _check_burial(self, message: Message, last: Run | None, reason: str) -> None:
        if reason in ("unreadable", "refused") or message.uncounted:
            return
        charged = sum(not one.freed for one in message.givens)
        ends = ["timeout" if run.why() == "timeout" else run.how for run in message.runs]
        if charged < self._setup.attempts:
            self.violate("dead-early", f"{message.name} had {charged} of {self._setup.attempts} attempts: {ends}")
        if reason == "lost":
            if charged <= self._setup.attempts + 1:
                self.violate("dead-early", f"{message.name} was lost after {charged} attempts: {ends}")
            if ends and ends[-1] == "crash-company":
                self.violate("company-buries", f"{message.name}: {ends}")
        elif last is None or (last.how not in ("fail", "timeout", "crash-own") and last.why() != "timeout"):
            self.violate("dead-unfailed", f"{message.name}: {ends}")

    def _register(self, process: str, args: Sequence[Word], reply: Reply) -> bool:
        if reply == 1:
            consumer = str(args[1])
            self.process_of[consumer] = process
            self.renewed[consumer] = self._clock()
            self._tell(f"{process} registers {consumer}")
        return False

    def _renew(self, process: str, args: Sequence[Word], reply: Reply) -> bool:
        consumer = str(args[0])
        if reply == 1:
            self.renewed[consumer] = self._clock()
            self.lives[process] = consumer
            if consumer in self.lost:
                self.violate("renewed-after-loss", consumer)
        else:
            self._tell(f"{process} cannot renew {consumer}")
        return False

    def _take_over(self, process: str, args: Sequence[Word], reply: Reply) -> bool:
        answer, taken, gone, _ = cast("list[bytes | int]", reply)
        self._tell(f"{process} takes over {args[2]!s}: {answer!r} {taken} {gone}")
        consumer = _text(args[2])
        if answer in (b"done", b"more"):
            if consumer in self.renewed and consumer not in self.lost and self.healthy(consumer):
                self.violate("healthy-swept", consumer)
            self.lost.add(consumer)
        return answer in (b"done", b"more")

    def _tend(self, process: str, args: Sequence[Word], reply: Reply) -> bool:
        del args
        _, promoted, entered, lost, *_ = cast("list[int]", reply)
        if promoted or entered or lost:
            self._tell(f"{process} promotes {promoted}, lets in {entered}, finds {lost} lost")
        return bool(promoted or entered or lost)

    def _overdue(self, process: str, args: Sequence[Word], reply: Reply) -> bool:
        del args
        _, adopted, *over = cast("list[int | bytes]", reply)
        if adopted or over:
            self._tell(f"{process} sees {over} overdue, adopts {adopted}")
        return False

    def _ensure(self, process: str, args: Sequence[Word], reply: Reply) -> bool:
        del args
        if reply != b"there":
            self._tell(f"{process} makes the group: {reply!r}")
        return reply != b"there"

    def _sent(self, process: str, args: Sequence[Word], reply: Reply) -> bool:
        for answer in cast("list[Reply]", reply):
            if isinstance(answer, (bytes, int)):
                message = self.messages[str(args[5]).partition("-")[0]]
                message.entered += 1
                self._tell(f"{process} sends {message.name}: {answer!r}")
        return True

    def look(self, seen: Seen) -> None:
        """After something has changed: what is there must fit together."""
        before, self.last = self.last.pending or {}, seen
        for entry, body in seen.entries.items():
            if entry not in self.entries:
                self.entries[entry] = self.messages[_name([b"data", body])]
        for entry, (owner, count) in (seen.pending or {}).items():
            self._compare(entry, before.get(entry), owner, count)
        if self.tainted or seen.pending is None:
            return
        owned = {entry for entry, (owner, _) in seen.pending.items() if owner == PARKED}
        if owned != seen.due:
            self.violate("index-differs", f"parked {sorted(owned)}, due {sorted(seen.due)}")
        for entry in seen.entries:
            if entry in self.current and entry not in seen.pending:
                self.violate("dropped", f"{self.entries[entry].name} was delivered and is pending nowhere")

    def _compare(self, entry: bytes, before: tuple[str, int] | None, owner: str, count: int) -> None:
        message = self.entries.get(entry)
        if message is None:
            return
        if before is not None and count < before[1] and not self.tainted:
            self.violate("count-fell", f"{message.name}: from {before[1]} to {count}")
        if owner not in STATES:
            return
        given = self.current.get(entry)
        if given is not None:
            word = "lost" if owner == SUSPECT else "taken"
            self._tell(f"{message.name} is {word} from {given.consumer}")
            self.current[entry] = None
        if count >= FORCE and (before is None or count > before[1] + 1):
            message.forced = len(message.givens)
            self._tell(f"{message.name} is brought back by force as {count}")


def _tuples(values: Sequence[Word], step: int) -> list[tuple[Word, ...]]:
    return [tuple(values[at : at + step]) for at in range(0, len(values), step)]


def _text(word: Word) -> str:
    return word.decode() if isinstance(word, bytes) else str(word)


def _name(fields: Sequence[bytes]) -> str:
    """The message that an entry is about: it stands in its body, also in one that cannot be read."""
    body = fields[fields.index(b"data") + 1].decode()
    return body.split('"')[3]


_SCRIPTS: dict[str, Callable[[Truth, str, Sequence[Word], Reply], bool]] = {
    "claim": Truth._claim,
    "settle": Truth._settle,
    "settle_with": Truth._settle_with,
    "park": Truth._park,
    "give_back": Truth._give_back,
    "bury": Truth._bury,
    "register": Truth._register,
    "renew": Truth._renew,
    "take_over": Truth._take_over,
    "tend": Truth._tend,
    "overdue": Truth._overdue,
    "ensure": Truth._ensure,
    "send": Truth._sent,
}
_QUIET = frozenset({"measure", "lead"})
