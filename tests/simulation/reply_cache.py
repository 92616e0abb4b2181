"""Caches replies, because most commands of workers and janitors come while nothing changes.

A command that changed nothing gets the same reply again without the server, until something changes or the reply
expires. This makes schedules several times faster and changes none: a test runs them with and without the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from penstock.wire.command import Argument
from penstock.wire.errors import Refused, Reply

RECONCILES = {
    # The positions in a reply that count changes.
    "reconcile_parked": (1,),
    "reconcile_due": (1, 2, 3),
    "reconcile_left": (2, 3),
    "reconcile_delayed": (2, 3),
    "reconcile_stream": (1, 2, 3, 4),
    "trim": (0,),
}

LASTING = frozenset({"ensure", "lead"})
"""Commands whose replies change only by foreign changes, or with time."""

RUNNING = frozenset({"XREADGROUP", "settle", "settle_with", "bury"})
"""Commands that affect messages of the worker that sends them, and no others."""
MOVES = RUNNING | {"park", "give_back", "claim", "send", "promote"}
"""Commands that create and delete no consumer."""
CONSUMERS = frozenset({"register", "deregister", "overdue", "take_over"})
"""Commands that change consumers and leases; they make messages suspect, and change no other message."""
SURVIVES = {
    # The changes that cannot change a reply. Other replies survive none.
    "overdue": MOVES,
    "promote": RUNNING - {"XREADGROUP"} | CONSUMERS - {"take_over"},  # it tells the last entry that was delivered
    "XREADGROUP": MOVES - {"send", "promote"} | CONSUMERS - {"deregister", "take_over"},
    "reconcile_delayed": MOVES - {"send", "promote"} | CONSUMERS,
    "reconcile_parked": MOVES - {"park", "promote"} | CONSUMERS,
    "reconcile_due": MOVES - {"park", "promote"} | CONSUMERS,
    "reconcile_left": frozenset({"XREADGROUP", "send"}) | CONSUMERS - {"take_over"},
    "reconcile_stream": MOVES - {"promote"} | CONSUMERS,
    "XPENDING": frozenset({"send", "promote"}) | CONSUMERS - {"deregister", "take_over"},
}

Known = tuple[int, float | None, Reply, str]
"""The time of the command, the time until which the reply holds, the reply, and the name of the command."""


class ReplyCache:
    """The replies since the last change."""

    def __init__(self, *, off: bool) -> None:
        self._off = off
        self._replies: dict[Sequence[Argument], Known] = {}
        self._lasting: dict[Sequence[Argument], Known] = {}

    def forget(self, *, by_others: bool = False) -> None:
        """Forget replies after a change."""
        self._replies.clear()
        if by_others:
            self._lasting.clear()

    def forget_after(self, name: str, consumer: Argument) -> None:
        """Forget the replies that a command of this consumer may have changed."""
        if name not in MOVES and name not in CONSUMERS:
            self._replies.clear()
            return
        for words, (_, _, _, known) in list(self._replies.items()):
            if name in SURVIVES.get(known, ()):
                continue
            if known != "XPENDING" or name not in MOVES or words[-1] == consumer:
                del self._replies[words]

    def answer(self, words: Sequence[Argument], time: int) -> tuple[Reply] | None:
        """Get the reply of an earlier command. `time` is Redis time, in ms."""
        cached = self._replies.get(words) or self._lasting.get(words)
        if cached is None:
            return None
        sent, until, reply, _ = cached
        if until is not None and time >= until:
            return None
        return (_later(reply, sent, time),)

    def note(
        self, name: str, words: Sequence[Argument], reply: Reply | Refused, time: int, next_expiry: float | None
    ) -> bool:
        """Cache a reply if its command changed nothing; return whether it did. Leases expire at `next_expiry`."""
        if isinstance(reply, Refused) or not _changed_nothing(name, words, reply):
            return False
        if self._off:
            return True
        until: float | None = None
        if name == "promote":
            left = cast("list[int]", reply)[4]
            until = None if left < 0 else time + left
        elif name == "overdue":
            until = next_expiry
        where = self._lasting if name in LASTING else self._replies
        where[words] = (time, until, _Timed(name, reply) if name in ("promote", "overdue") else reply, name)
        return True


class _Timed(list[Reply]):
    """A reply that contains a time."""

    def __init__(self, name: str, reply: Reply) -> None:
        super().__init__(cast("list[Reply]", reply))
        self.name = name


def _later(reply: Reply, sent: int, time: int) -> Reply:
    if not isinstance(reply, _Timed):
        return reply
    parts = list(reply)
    parts[0] = time
    if reply.name == "promote" and cast("int", parts[4]) >= 0:
        parts[4] = cast("int", parts[4]) - (time - sent)
    return parts


def _changed_nothing(name: str, words: Sequence[Argument], reply: Reply) -> bool:  # noqa: PLR0911 - one for each command
    if name in ("XPENDING", "measure"):
        return True
    if name == "lead":
        return words[-1] != 0
    if name == "XREADGROUP":
        return reply is None
    if name == "ensure":
        return reply == b"there"
    if not isinstance(reply, list):
        return False
    if name == "promote":
        return not any(cast("list[int]", reply[1:4])) and reply[7] == b"" and not reply[9]
    if name == "overdue":
        return reply[1:] == [0]
    if name == "claim":
        return reply == [0, 0]  # another worker empties itself
    return name in RECONCILES and not any(reply[at] for at in RECONCILES[name])
