"""What stands in the way of a letter: whether it is sent once more, and what a sender is told when it is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from penstock.producer.errors import BacklogFull, NotSent, RedisAbsent, RedisRefused, Unknown
from penstock.producer.letter import Letter
from penstock.producer.outcomes import Failed
from penstock.producer.pace import Backoff
from penstock.wire.errors import RedisTrouble, Refused, Unanswered

PASSING: Final = frozenset({
    "ASK", "BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF", "MOVED", "NOREPLICAS", "OOM", "READONLY",
    "TRYAGAIN",
})  # fmt: skip
"""Answers of a server that cannot work now, and that did nothing. Others, as NOPERM and WRONGTYPE, stay as they are."""


class Full:
    """The backlog is at its limit."""

    __slots__ = ()


FULL: Final = Full()

Obstacle: TypeAlias = RedisTrouble | Full


def passes(obstacle: Obstacle) -> bool:
    """Whether it is trouble of a kind that passes."""
    if isinstance(obstacle, Refused):
        return obstacle.code in PASSING
    return isinstance(obstacle, RedisTrouble)


@dataclass(frozen=True, slots=True)
class Insistence:
    """What a spec says of sends that do not succeed at once."""

    attempts: int
    backoff: Backoff
    window: float
    """Seconds after a first attempt in which Redis surely recognizes a repeated one."""
    limit: int
    """Of the backlog."""
    waits: bool
    """For room in it."""

    def again(self, letter: Letter, obstacle: Obstacle, now: float) -> bool:
        """Whether to send it once more, which must never send it twice.

        What may be there already is repeated only with a deduplication key, and only while Redis remembers that.
        """
        if letter.order.last_try:
            return False
        if isinstance(obstacle, Full):
            return self.waits
        if letter.attempts >= self.attempts or not passes(obstacle):
            return False
        doubtful = letter.doubtful_since
        return doubtful is None or (letter.key is not None and now - doubtful < self.window)

    def given_up(self, letter: Letter, obstacle: Obstacle) -> Failed | Unknown:
        """What a sender is told. A letter that went without an answer once is never *not sent*."""
        if letter.doubtful_since is None:
            return Failed(self._not_sent(obstacle))
        if isinstance(obstacle, Full):
            return Unknown("no answer came, and then the backlog was at its limit", letter.id)
        unknown = Unknown(str(obstacle), letter.id)
        unknown.__cause__ = obstacle
        return unknown

    def _not_sent(self, obstacle: Obstacle) -> NotSent:
        error: NotSent
        match obstacle:
            case Full():
                return BacklogFull(f"{self.limit} messages wait, which is `stream.backlog.limit`")
            case Refused():
                error = RedisRefused(f"Redis refused it: {obstacle}", obstacle.code)
            case _:
                error = RedisAbsent(str(obstacle))
        error.__cause__ = obstacle
        return error


def was_sent(letter: Letter, obstacle: RedisTrouble, began: float) -> None:
    """Note an attempt that met trouble."""
    letter.attempts += 1
    if isinstance(obstacle, Unanswered) and letter.doubtful_since is None:
        letter.doubtful_since = began
