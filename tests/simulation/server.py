"""Redis as the simulation has it: a real server, with virtual time, blocked readers, pauses and foreign hands."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from penstock.keys import Keys
from penstock.wire.errors import Refused, Reply
from penstock.wire.words import Word

from .link import Client, Op
from .memory import Memory
from .store import EPOCH, NOW, Store, Texts, Words
from .truth import Seen, Truth
from .universe import START, Event, Universe

STEADY = frozenset({"renew", "SCRIPT LOAD", "XTRIM"})
"""What changes nothing that somebody asks for; renewals only make answers hold for longer."""
ADDS = frozenset({"send", "tend", "replay", "ensure", "XADD", "XGROUP"})
"""What may bring something to blocked readers."""


class Blocked:
    """A reader that waits for news."""

    __slots__ = ("op", "over", "words")

    def __init__(self, op: Op, words: Words, over: Event) -> None:
        self.op = op
        self.words = words
        self.over = over


class Redis:
    """One server. Commands are executed when they come, or when the server goes on after a pause."""

    def __init__(  # noqa: PLR0913, PLR0917 - what it is made of
        self, store: Store, universe: Universe, texts: Texts, truth: Truth, keys: Keys, memory: Memory
    ) -> None:
        self._store = store
        self._universe = universe
        self._texts = texts
        self._truth = truth
        self._keys = keys
        self._blocked: list[Blocked] = []
        self._memory = memory
        self._readers: set[Word] = set()
        """Consumers that are there for certain."""
        self._has_changed = False
        self._told = -1
        self._locks: dict[str, Event] = {}
        self._answered: Callable[[Op, Reply | Refused], None] = lambda op, reply: None
        self.is_paused = False
        self._pauses = 0
        self._held: list[tuple[Callable[[Op], None], Op]] = []
        """What came while it stood still."""
        self.is_full = False
        self.run_id = 1

    def begin(self, answered: Callable[[Op, Reply | Refused], None], *, loaded: bool, base: int) -> None:
        """Empty, but for ids that begin where the simulation wants them. `answered` takes answers to their links."""
        self._answered = answered
        commands: list[Words] = [("CONFIG", "SET", "maxmemory", 0), ("FLUSHALL",), ("SCRIPT", "FLUSH")]
        if loaded:
            commands += self._texts.load()
        first = f"{EPOCH}-{base + 1}"
        for stream in (self._keys.stream, self._keys.dead):
            commands += [("XADD", stream, first, "data", "{}"), ("XDEL", stream, first)]
        self.ask(*commands)
        self._told = -1  # the time was flushed, too

    def time(self) -> int:
        """Redis's own, in ms."""
        return EPOCH + int((self._universe.now - START) * 1000)

    def ask(self, *commands: Words) -> list[Reply | Refused]:
        """By a hand of the simulation's own; nobody is told."""
        time = self.time()
        before: list[Words] = []
        after: list[Words] = []
        if time != self._told:
            before = [("SET", NOW, time)]
            self._told = time
        if self.is_full:
            before += [("CONFIG", "SET", "maxmemory", 1)]
            after = [("CONFIG", "SET", "maxmemory", 0)]
        answers = self._store.ask(*before, *commands, *after)
        return answers[len(before) : len(answers) - len(after)]

    # -- commands ---------------------------------------------------------------------------------------------------

    def arrive(self, op: Op) -> None:
        """It is its turn, unless the server stands still: then it is, as soon as that goes on."""
        if self.is_paused:
            self._held.append((self.arrive, op))
            return
        reply = self._execute(op)
        if reply is not None:
            self._answered(op, reply[0])

    def _execute(self, op: Op) -> tuple[Reply | Refused] | None:
        verb = op.words[0]
        if verb == "CLIENT":
            return (self._unblock(int(op.words[2])),)
        if verb == "INFO":
            return (b"run_id:%d\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n" % self.run_id,)
        if verb == "TIME":
            time = self.time()
            return ([b"%d" % (time // 1000), b"%d" % (time % 1000 * 1000)],)
        if verb == "XREADGROUP":
            at = list(op.words).index("BLOCK")
            words = (*op.sent[:at], *op.sent[at + 2 :])
            reply = self._asked(op, words)
            if reply is None:
                over = self._universe.after(int(op.words[at + 1]) / 1000, self._waited, op)
                self._blocked.append(Blocked(op, words, over))
                return None
            return (reply,)
        reply = self._asked(op, op.sent)
        if op.name == "lead":
            self._hold(op, reply)
        if op.name in ADDS and self._blocked and self._has_changed:
            self.serve()
        return (reply,)

    def _asked(self, op: Op, words: Words) -> Reply | Refused:
        """Its answer, from the server unless it is known."""
        time = self.time()
        self._has_changed = False
        if not self.is_full and (known := self._memory.answer(words, time)):
            return known[0]
        reply, leases = self.ask(words, ("ZRANGE", self._keys.alive, 0, -1, "WITHSCORES"))
        ends = [] if isinstance(leases, Refused) else [abs(float(one)) for one in cast("list[bytes]", leases)[1::2]]
        if op.name == "XREADGROUP" and words[3] not in self._readers:
            self._memory.forget()  # a reader that was not there is made
            self._readers.add(words[3])
        saw = self._truth.sees(op.by, op.name, op.words, reply)
        if not self._memory.note(op.name, words, reply, time, min(ends, default=None)):
            if saw:
                self.look()
            if op.name not in STEADY:
                self._changed()
        return reply

    def _changed(self) -> None:
        self._has_changed = True
        self._memory.forget()
        self._readers.clear()

    def look(self) -> None:
        """Show what there is."""
        keys = self._keys
        entries, pending, due = self.ask(
            ("XRANGE", keys.stream, "-", "+"),
            ("XPENDING", keys.stream, keys.group, "-", "+", 1000),
            ("ZRANGE", keys.parked, 0, -1),
        )
        rows = cast("list[tuple[bytes, list[bytes]]]", [] if isinstance(entries, Refused) else entries)
        owners = None
        if not isinstance(pending, Refused):
            owners = {
                id_: (owner.decode(), count)
                for id_, owner, _, count in cast("list[tuple[bytes, bytes, int, int]]", pending)
            }
        found = {id_: fields[fields.index(b"data") + 1] for id_, fields in rows}
        self._truth.look(Seen(found, owners, set(cast("list[bytes]", due))))

    # -- blocked readers --------------------------------------------------------------------------------------------

    def serve(self) -> None:
        """Blocked readers get what there is now, the first come first."""
        for one in self._blocked[:]:
            [reply] = self.ask(one.words)
            if reply is None:
                continue
            self._blocked.remove(one)
            one.over.cancel()
            self._changed()
            if self._truth.sees(one.op.by, one.op.name, one.op.words, reply):
                self.look()
            self._answered(one.op, reply)

    def _waited(self, op: Op) -> None:
        if self.is_paused:
            self._held.append((self._waited, op))
        elif self._release(op):
            self._answered(op, None)

    def _unblock(self, client: int) -> int:
        for one in self._blocked:
            if one.op.client.id == client:
                self._release(one.op)
                self._answered(one.op, None)
                return 1
        return 0

    def _release(self, op: Op) -> bool:
        for one in self._blocked:
            if one.op is op:
                one.over.cancel()
                self._blocked.remove(one)
                return True
        return False

    def hung_up(self, client: Client) -> None:
        """A connection is closed: who waits there waits no more, unless the server never heard of it."""
        for one in self._blocked[:]:
            if one.op.client is client and not one.op.lurks:
                self._release(one.op)

    # -- trouble ----------------------------------------------------------------------------------------------------

    def pause(self, seconds: float) -> None:
        """It stands still, and its commands wait."""
        self.is_paused = True
        self._pauses += 1
        self._universe.after(seconds, self._go_on, self._pauses)

    def _go_on(self, number: int) -> None:
        if number == self._pauses:
            self.go_on()

    def go_on(self) -> None:
        self.is_paused = False
        held, self._held = self._held, []
        for call, op in held:
            call(op)

    def restart(self) -> None:
        """Another life of the server, with all that was written."""
        for one in self._blocked[:]:
            self._release(one.op)
        self.run_id += 1
        self.flush()

    def flush(self) -> None:
        """It forgets the scripts."""
        self.ask(("SCRIPT", "FLUSH"))
        self._changed()

    def foreign(self, *command: Word) -> None:
        """Somebody else's command."""
        self.ask(command)
        self._changed()
        self.look()
        self.serve()

    def _hold(self, op: Op, reply: Reply | Refused) -> None:
        """The janitor's lock runs out in virtual time."""
        key, holds = str(op.words[3]), int(op.words[5])
        if reply != 1:
            return
        if key in self._locks:
            self._locks[key].cancel()
        else:
            self.ask(("PERSIST", key))
        self._locks[key] = self._universe.after(holds / 1000, self._let_go, key)

    def _let_go(self, key: str) -> None:
        del self._locks[key]
        self.ask(("DEL", key))
        self._changed()
