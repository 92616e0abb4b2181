"""The Redis of the simulation: a real server with virtual time, blocked readers, pauses and foreign changes."""

from __future__ import annotations

from collections.abc import Callable

from penstock.wire.command import Argument
from penstock.wire.errors import Refused, Reply

from .event_loop import Scheduled
from .link import Client, Op
from .server_client import ServerClient
from .store import EPOCH, Words
from .universe import START, Universe

ADDS = frozenset({"send", "promote", "replay", "ensure", "XADD", "XGROUP"})
"""Commands that may unblock readers."""


class Blocked:
    """A reader that waits for messages."""

    __slots__ = ("op", "over", "words")

    def __init__(self, op: Op, words: Words, over: Scheduled) -> None:
        self.op = op
        self.words = words
        self.over = over


class Redis:
    """One server. It runs commands when they arrive, or after a pause."""

    def __init__(self, universe: Universe, client: ServerClient) -> None:
        self._universe = universe
        self._blocked: list[Blocked] = []
        self._locks: dict[str, Scheduled] = {}
        self._pauses = 0
        self._is_deaf = False
        self._held: list[tuple[Callable[[Op], None], Op]] = []
        """Commands that arrived during a pause."""
        self.client = client
        self.answered: Callable[[Op, Reply | Refused], None] = lambda _, __: None
        """Sends replies back to their links."""
        self.is_paused = False
        self.run_id = 1
        self.unavailable_until = -1.0
        """The end of the last time when it hung or refused writes."""

    # -- commands ---------------------------------------------------------------------------------------------------

    def arrive(self, op: Op) -> None:
        """Run a command now, or after the pause."""
        if self.is_paused:
            if not self._is_deaf:
                self._held.append((self.arrive, op))
            return
        reply = self._execute(op)
        if reply is not None:
            self.answered(op, reply[0])

    def _execute(self, op: Op) -> tuple[Reply | Refused] | None:
        verb = op.words[0]
        if verb == "CLIENT":
            return (self._unblock(int(op.words[2])),)
        if verb == "INFO":
            return (b"run_id:%d\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n" % self.run_id,)
        if verb == "TIME":
            time = time_of(self._universe)
            return ([b"%d" % (time // 1000), b"%d" % (time % 1000 * 1000)],)
        if verb == "XREADGROUP" and "BLOCK" in op.words:
            at = list(op.words).index("BLOCK")
            words = (*op.sent[:at], *op.sent[at + 2 :])
            reply = self.client.put(op, words)
            if reply is None:
                over = self._universe.after(int(op.words[at + 1]) / 1000, self._waited, op)
                self._blocked.append(Blocked(op, words, over))
                return None
            return (reply,)
        reply = self.client.put(op, op.sent)
        if op.name == "lead":
            self._hold(op, reply)
        if op.name in ADDS and self._blocked and self.client.has_changed:
            self.serve()
        return (reply,)

    @property
    def has_orphans(self) -> bool:
        """Whether a reader is blocked whose process does not wait any more, and which may get messages."""
        return any(one.op.client.broken for one in self._blocked)

    # -- blocked readers --------------------------------------------------------------------------------------------

    def serve(self) -> None:
        """Serve blocked readers, the first one first."""
        for one in self._blocked[:]:
            reply = self.client.serve(one.op, one.words)
            if reply is None:
                continue
            self._blocked.remove(one)
            one.over.cancel()
            self.answered(one.op, reply)

    def _waited(self, op: Op) -> None:
        if self.is_paused:
            self._held.append((self._waited, op))
        elif self._release(op):
            self.answered(op, None)

    def _unblock(self, client: int) -> int:
        for one in self._blocked:
            if one.op.client.id == client:
                self._release(one.op)
                self.answered(one.op, None)
                return 1
        return 0

    def _release(self, op: Op) -> bool:
        for one in self._blocked:
            if one.op is op:
                one.over.cancel()
                self._blocked.remove(one)
                return True
        return False

    def connection_closed(self, client: Client) -> None:
        """Drop the blocked reader of a closed connection, unless the server did not notice."""
        for one in self._blocked[:]:
            if one.op.client is client and not one.op.half_open:
                self._release(one.op)

    # -- faults -----------------------------------------------------------------------------------------------------

    def pause(self, seconds: float, *, deaf: bool) -> None:
        """Hang: commands wait, or are lost if `deaf`."""
        self.is_paused = True
        self.unavailable_until = self._universe.now + seconds
        self._is_deaf = deaf
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
        """Restart the server with all its data."""
        for one in self._blocked[:]:
            self._release(one.op)
        self.run_id += 1
        self.flush()

    def flush(self) -> None:
        """Forget the scripts."""
        self.client.flush()

    def foreign(self, *command: Argument) -> None:
        """Run a command of a foreign client."""
        self.client.ask(command)
        self.client.changed(by_others=True)
        self.client.report_state()
        self.serve()

    def _hold(self, op: Op, reply: Reply | Refused) -> None:
        """Let the janitor's lock expire in virtual time."""
        key, holds = str(op.words[3]), int(op.words[5])
        if reply != 1:
            return
        if key in self._locks:
            self._locks[key].cancel()
        self._locks[key] = self._universe.after(holds / 1000, self._let_go, key)

    def _let_go(self, key: str) -> None:
        del self._locks[key]
        self.client.ask(("DEL", key))
        self.client.changed(by_others=True)


def time_of(universe: Universe) -> int:
    """Redis time, in ms."""
    return EPOCH + int((universe.now - START) * 1000)
