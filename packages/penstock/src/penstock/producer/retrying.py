"""Decides whether to send a message again, and which error to return if not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from penstock.producer.encoded import EncodedMessage
from penstock.producer.errors import BacklogFull, NotSent, RedisAbsent, RedisRefused, Unknown
from penstock.producer.outcomes import Failed
from penstock.producer.pace import Backoff
from penstock.wire.errors import RedisTrouble, Refused, Unanswered

TRANSIENT: Final = frozenset({
    "ASK", "BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF", "MOVED", "NOREPLICAS", "OOM", "READONLY",
    "TRYAGAIN",
})  # fmt: skip
"""Errors of a server that is temporarily unable and did nothing. Others, such as NOPERM, are permanent."""


class Full:
    """The backlog is full."""

    __slots__ = ()


FULL: Final = Full()

Obstacle: TypeAlias = RedisTrouble | Full


def is_transient(obstacle: Obstacle) -> bool:
    """Whether another attempt may succeed."""
    if isinstance(obstacle, Refused):
        return obstacle.code in TRANSIENT
    return isinstance(obstacle, RedisTrouble)


@dataclass(frozen=True, slots=True)
class SendRetries:
    """When a send is retried, from the spec."""

    attempts: int
    backoff: Backoff
    window: float
    """Seconds after a first attempt within which Redis recognizes a repeated one."""
    limit: int
    """The backlog limit."""
    waits: bool
    """Whether sends wait for room in the backlog."""

    def again(self, message: EncodedMessage, obstacle: Obstacle, now: float) -> bool:
        """Whether to send a message again. It must never be sent twice.

        A message that Redis may have is repeated only if it has a deduplication key, and while Redis remembers the key.
        """
        if message.batch.last_try:
            return False
        if isinstance(obstacle, Full):
            return self.waits
        if message.attempts >= self.attempts or not is_transient(obstacle):
            return False
        unanswered = message.unanswered_since
        return unanswered is None or (message.key is not None and now - unanswered < self.window)

    def give_up(self, message: EncodedMessage, obstacle: Obstacle) -> Failed | Unknown:
        """Return the final outcome. A message that was once sent without an answer is never reported as not sent."""
        if message.unanswered_since is None:
            return Failed(self._not_sent(obstacle))
        if isinstance(obstacle, Full):
            return Unknown("no answer came, and then the backlog was full", message.id)
        unknown = Unknown(str(obstacle), message.id)
        unknown.__cause__ = obstacle
        return unknown

    def _not_sent(self, obstacle: Obstacle) -> NotSent:
        error: NotSent
        match obstacle:
            case Full():
                return BacklogFull(f"the backlog has reached `stream.backlog.limit` ({self.limit})")
            case Refused():
                error = RedisRefused(f"Redis refused it: {obstacle}", obstacle.code)
            case _:
                error = RedisAbsent(str(obstacle))
        error.__cause__ = obstacle
        return error


def note_attempt(message: EncodedMessage, obstacle: RedisTrouble, started: float) -> None:
    """Record an attempt that failed."""
    message.attempts += 1
    if isinstance(obstacle, Unanswered) and message.unanswered_since is None:
        message.unanswered_since = started
