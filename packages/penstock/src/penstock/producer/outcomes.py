"""What became of a message that was to be sent."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from penstock.producer.errors import NotSent, Unknown


class Sent(NamedTuple):
    """Redis has it."""

    id: str
    """The message's own id, a ULID; under it a handler may leave a result."""
    entry: str | None
    """The id of its entry in the stream. None where it is not there yet, and where the answer that told it was lost."""
    due: int | None = None
    """When it enters the stream, in milliseconds since 1970 by Redis's clock; none where it is there."""
    correlation: str | None = None
    """The value of the field that `message.correlate` names; also where it was made here."""
    dropped: int = 0
    """Messages that nobody had read and that made room for it (`drop-oldest`)."""


class Duplicate(NamedTuple):
    """The same was sent before, within the deduplication window; this one was not."""

    id: str
    """The own id of the message that was sent."""
    key: str
    """What both have in common."""


class Failed(NamedTuple):
    """It was not sent. Only `send_many` tells it so; `send` raises the error."""

    error: NotSent


Outcome: TypeAlias = Sent | Duplicate | Failed | Unknown
