"""Answers that are known: most of what workers and janitors ask, they ask while nothing changes.

A question that changed nothing is answered again without the server, until something changes or an answer's time is
over. A schedule is several times faster so, and not a different one: a test runs schedules with and without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from penstock.wire.command import Argument
from penstock.wire.errors import Refused, Reply

RECONCILES = {
    # Which of an answer's parts say that something was changed.
    "reconcile_parked": (1,),
    "reconcile_due": (1, 2, 3),
    "reconcile_left": (2, 3),
    "reconcile_delayed": (2, 3),
    "reconcile_stream": (1, 2, 3, 4),
}

LASTING = frozenset({"ensure", "lead"})
"""What changes only by other hands than ours, or by itself."""

Known = tuple[int, float | None, Reply]
"""When it was asked, until when it holds, and the answer."""


class Memory:
    """What was answered since the last change."""

    def __init__(self, *, off: bool) -> None:
        self._off = off
        self._known: dict[Sequence[Argument], Known] = {}
        self._lasting: dict[Sequence[Argument], Known] = {}

    def forget(self, *, by_others: bool = False) -> None:
        """Something has changed."""
        self._known.clear()
        if by_others:
            self._lasting.clear()

    def answer(self, words: Sequence[Argument], time: int) -> tuple[Reply] | None:
        """The answer to a question that was asked before. `time` is Redis's, in ms."""
        known = self._known.get(words) or self._lasting.get(words)
        if known is None:
            return None
        asked, until, reply = known
        if until is not None and time >= until:
            return None
        return (_later(reply, asked, time),)

    def note(
        self, name: str, words: Sequence[Argument], reply: Reply | Refused, time: int, first_end: float | None
    ) -> bool:
        """It was asked; whether it changed nothing. `first_end`: when the first of the leases is over."""
        if isinstance(reply, Refused) or not _changed_nothing(name, words, reply):
            return False
        if self._off:
            return True
        until: float | None = None
        if name == "promote":
            left = cast("list[int]", reply)[4]
            until = None if left < 0 else time + left
        elif name == "overdue":
            until = first_end
        where = self._lasting if name in LASTING else self._known
        where[words] = (time, until, _Timed(name, reply) if name in ("promote", "overdue") else reply)
        return True


class _Timed(list[Reply]):
    """An answer in which time stands."""

    def __init__(self, name: str, reply: Reply) -> None:
        super().__init__(cast("list[Reply]", reply))
        self.name = name


def _later(reply: Reply, asked: int, time: int) -> Reply:
    if not isinstance(reply, _Timed):
        return reply
    told = list(reply)
    told[0] = time
    if reply.name == "promote" and cast("int", told[4]) >= 0:
        told[4] = cast("int", told[4]) - (time - asked)
    return told


def _changed_nothing(name: str, words: Sequence[Argument], reply: Reply) -> bool:  # noqa: PLR0911 - one for each kind
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
        return not any(cast("list[int]", reply[1:4])) and reply[7] == b""
    if name == "overdue":
        return reply[1:] == [0]
    if name == "claim":
        return reply == [0, 0]  # that another empties itself holds for as long as it does
    return name in RECONCILES and not any(reply[at] for at in RECONCILES[name])
