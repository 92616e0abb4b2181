"""Results of a send."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from penstock.producer.errors import NotSent, Unknown


class Sent(NamedTuple):
    """Redis has the message."""

    id: str
    """The message's id, a ULID; a handler may leave a result under it."""
    entry: str | None
    """The id of its entry in the stream. None if it is delayed, or if the answer was lost."""
    due: int | None = None
    """When a delayed message enters the stream, in milliseconds since 1970, in Redis time; else None."""
    correlation: str | None = None
    """The value of the field that `message.correlate` names, given or generated."""
    dropped: int = 0
    """Unread messages that were dropped to make room (`drop-oldest`)."""


class Duplicate(NamedTuple):
    """A message with the same key was sent within the deduplication window; this one was not sent."""

    id: str
    """The id of the message that was sent."""
    key: str
    """The deduplication key of both."""


class Failed(NamedTuple):
    """The message was not sent. `send_many` returns it; `send` raises the error."""

    error: NotSent


Outcome: TypeAlias = Sent | Duplicate | Failed | Unknown
