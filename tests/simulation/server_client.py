"""Calls the server as rarely as possible, because each reply costs a context switch.

It caches replies that cannot have changed, sends a renewal with a known reply together with the next command, and
reads the state of the stream together with a command that may have changed it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from penstock.keys import PipelineKeys
from penstock.wire.command import Argument
from penstock.wire.errors import Refused, Reply

from .link import Op
from .records import ServerState
from .reply_cache import MOVES, ReplyCache
from .steps import Steps
from .store import EPOCH, NOW, Store, Texts, Words
from .truth import Truth
from .universe import NoProgressError

STEADY = frozenset({"renew", "SCRIPT LOAD", "XTRIM", "remember", "trim_dead", "ZCARD", "XINFO"})
"""Commands that change no cached reply; renewals only extend leases."""
CREATES = MOVES | {"register", "overdue"}
"""Commands that delete no consumer."""
DELETES = frozenset({"deregister", "take_over"})
"""Commands that may delete the consumer that they name."""
CHANGING = frozenset(
    {
        "XREADGROUP",
        "claim",
        "settle",
        "settle_with",
        "park",
        "give_back",
        "bury",
        "promote",
        "take_over",
        "send",
        "deregister",
    }
)
"""Commands that usually change something."""

MOST_COMMANDS = 6_000
"""Far more commands than a schedule needs; a process that sends more of them repeats itself without an end."""
EVEN_IF_FULL = frozenset(
    {"register", "renew", "claim", "settle", "settle_with", "park", "give_back", "bury", "take_over", "lead"}
)
"""Commands that a Redis without memory must run, so that memory becomes free again."""


class ServerClient:
    """The client of one server, in virtual time."""

    def __init__(
        self, store: Store, time: Callable[[], int], keys: PipelineKeys, truth: Truth, cache: ReplyCache
    ) -> None:
        """`time` is Redis time, in ms."""
        self._store = store
        self._time = time
        self._keys = keys
        self._truth = truth
        self._steps = Steps(truth)
        self._cache = cache
        self._time_sent = -1
        self._commands = 0
        self._readers: set[Argument] = set()
        """Consumers that certainly exist."""
        self._renewed: set[Argument] = set()
        """Consumers whose leases certainly exist."""
        self._later: list[Words] = []
        """Answered renewals that are not sent yet, each with its time."""
        self.is_full = False
        self.has_changed = False
        """Whether the last command changed something."""
        self.changes = 0
        """How often something changed."""
        self._state_queries: tuple[Words, ...] = (
            ("XRANGE", keys.stream, "-", "+"),
            ("XPENDING", keys.stream, keys.group, "-", "+", 1000),
            ("ZRANGE", keys.parked, 0, -1),
        )

    def begin(self, texts: Texts, *, loaded: bool, earlier_entries: int) -> None:
        """Empty the server, and start ids after a number of earlier entries."""
        commands: list[Words] = [("CONFIG", "SET", "maxmemory", 0), ("FLUSHALL",)]
        if not loaded:
            commands += [("SCRIPT", "FLUSH")]
        elif self._store.knows is not texts:
            commands += [("SCRIPT", "FLUSH"), *texts.load()]
        self._store.knows = texts if loaded else None
        first = f"{EPOCH}-{earlier_entries + 1}"
        for stream in (self._keys.stream, self._keys.dead):
            commands += [("XADD", stream, first, "data", "{}"), ("XDEL", stream, first)]
        self.ask(*commands)
        self._time_sent = -1  # the time was flushed too

    def ask(self, *commands: Words) -> list[Reply | Refused]:
        """Run commands of the simulation itself."""
        renewals, self._later = self._later, []
        before: list[Words] = [*renewals]
        after: list[Words] = []
        time = self._time()
        if renewals or time != self._time_sent:
            before.append(("SET", NOW, time))
            self._time_sent = time
        if self.is_full:
            before.append(("CONFIG", "SET", "maxmemory", 1))
            after.append(("CONFIG", "SET", "maxmemory", 0))
        answers = self._store.ask(*before, *commands, *after)
        assert all(answer == 1 for answer in answers[1 : len(renewals) : 2]), (
            "a renewal got another reply than expected"
        )
        return answers[len(before) : len(answers) - len(after)]

    def put(self, op: Op, words: Words) -> Reply | Refused:
        """Run a command of a process; the reply comes from the server or from the cache."""
        time = self._time()
        self._commands += 1
        if self._commands > MOST_COMMANDS:
            raise NoProgressError(f"{MOST_COMMANDS} commands; {op.by} sends {op.name} again")
        self.has_changed = False
        if not self.is_full:
            if (cached := self._cache.answer(words, time)) is not None:
                return cached[0]
            if op.name == "renew" and words[-2] in self._renewed:
                self._later += [("SET", NOW, time), words]
                self._steps.see(op.by, op.name, op.words, 1)
                return 1
        return self._run(op, words, time)

    def _run(self, op: Op, words: Words, time: int) -> Reply | Refused:
        more: tuple[Words, ...] = ()
        if op.name in CHANGING:
            more = self._state_queries
        elif op.name == "overdue":
            more = (("ZRANGE", self._keys.alive, 0, -1, "WITHSCORES"),)
        reply, *rest = self.ask(words, *more)
        next_expiry = _next_expiry(rest[0]) if op.name == "overdue" else None
        if op.name == "XREADGROUP" and words[3] not in self._readers:
            self._cache.forget()  # the read creates its consumer
            self._readers.add(words[3])
        if self.is_full and isinstance(reply, Refused) and reply.code == "OOM" and op.name in EVEN_IF_FULL:
            self._truth.violate("refused-when-full", f"{op.by}: {op.name}: {reply}")
        matters = self._steps.see(op.by, op.name, op.words, reply)
        if not self._cache.note(op.name, words, reply, time, next_expiry):
            if op.name not in STEADY and not (isinstance(reply, Refused) and reply.code == "NOSCRIPT"):
                self._changed_by(op)
            if matters:
                self._show(rest if op.name in CHANGING else self.ask(*self._state_queries))
        if reply == 1 and (op.name == "renew" or (op.name == "register" and self._store.knows)):
            self._renewed.add(words[-2])
        if reply == 1 and op.name == "register":
            self._readers.add(words[-2])
        return reply

    def _changed_by(self, op: Op) -> None:
        """Forget replies that a command may have changed."""
        self.has_changed = True
        self.changes += 1
        words = op.words
        at = 5 if op.name == "take_over" else 4
        consumer = words[3] if op.name == "XREADGROUP" else words[at + int(words[2])] if words[0] == "EVALSHA" else ""
        self._cache.forget_after(op.name, consumer)
        if op.name in DELETES:
            name = consumer.decode() if isinstance(consumer, bytes) else consumer
            self._readers.discard(name)
            self._renewed.discard(name)
        elif op.name not in CREATES:
            self._readers.clear()
            self._renewed.clear()

    def changed(self, *, by_others: bool = False) -> None:
        """Forget cached replies; more of them if neither a worker nor a janitor made the change."""
        self.has_changed = True
        self.changes += 1
        self._cache.forget(by_others=by_others)
        self._readers.clear()
        self._renewed.clear()

    def flush(self) -> None:
        """Make the server forget its scripts."""
        self.ask(("SCRIPT", "FLUSH"))
        self._store.knows = None
        self.changed(by_others=True)

    def serve(self, op: Op, words: Words) -> Reply | Refused:
        """Run a read that was blocked."""
        [reply] = self.ask(words)
        if reply is not None:
            self._changed_by(op)
            if self._steps.see(op.by, op.name, op.words, reply):
                self.report_state()
        return reply

    def report_state(self) -> None:
        """Read the state and report it to the truth."""
        self._show(self.ask(*self._state_queries))

    def _show(self, replies: list[Reply | Refused]) -> None:
        entries, pending, due = replies
        rows = cast("list[tuple[bytes, list[bytes]]]", [] if isinstance(entries, Refused) else entries)
        owners = None
        if not isinstance(pending, Refused):
            listed = cast("list[tuple[bytes, bytes, int, int]]", pending)
            owners = {id_: (owner.decode(), count) for id_, owner, _, count in listed}
        bodies = {id_: fields[fields.index(b"data") + 1] for id_, fields in rows}
        self._truth.observe(ServerState(bodies, owners, set(cast("list[bytes]", due))))


def _next_expiry(leases: Reply | Refused) -> float | None:
    ends = [] if isinstance(leases, Refused) else [abs(float(one)) for one in cast("list[bytes]", leases)[1::2]]
    return min(ends, default=None)
