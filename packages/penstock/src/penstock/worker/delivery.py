"""A message as it was handed to this worker, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from penstock.keys import SUSPECT
from penstock.observe.about import Subject


class Delivery:
    """An entry, whose it is, and how often it was delivered. Consumer and count together are the fence."""

    __slots__ = ("again", "consumer", "count", "fields", "free", "id", "source", "uncharged")

    def __init__(  # noqa: PLR0913, PLR0917 - made for each message, so keywords would be paid for each
        self, id_: bytes, fields: Sequence[bytes], consumer: str, count: int = 1, uncharged: int = 0, source: str = ""
    ) -> None:
        """A new entry unless said otherwise."""
        self.id = id_
        self.fields = fields
        """Names and values in turn."""
        self.consumer = consumer
        self.count = count
        self.uncharged = uncharged
        """Deliveries that do not count as attempts."""
        self.source = source
        """The state it was claimed from; nothing when it was new."""
        self.again = False
        """Its worker was lost also when it ran alone, after its last attempt."""
        self.free = 0
        """Deliveries of this attempt that only renewed its fence, and are not to count either."""

    @property
    def attempt(self) -> int:
        """Which attempt this is; the first is 1."""
        return self.count - self.uncharged

    @property
    def is_suspect(self) -> bool:
        """A worker was lost while it held this."""
        return self.source == SUSPECT

    @property
    def fence(self) -> tuple[bytes, int]:
        """What a script compares."""
        return self.id, self.count


@dataclass(frozen=True, slots=True)
class Result:
    """The result that a handler leaves. The step that settles the message writes it; no other step does."""

    value: bytes
    """JSON."""
    keep: int
    """Milliseconds."""


@dataclass(frozen=True, slots=True)
class SettledWith:
    """Done, and leaves a result."""

    delivery: Delivery
    result: Result


@dataclass(frozen=True, slots=True)
class Parked:
    """Waits for another attempt."""

    delivery: Delivery
    wait: int
    """Milliseconds."""
    class_: str
    """The class of failures that matched, or nothing."""
    crashed: bool = False
    """Its handler took its process down, so it goes on as a suspect."""


@dataclass(frozen=True, slots=True)
class Buried:
    """To the dead letters."""

    delivery: Delivery
    reason: str
    error: str
    """As the dead letter has it."""
    cause: str = ""
    """As the log has it: without the text of an exception."""
    at: str = ""
    """Where in the team's code it failed."""
    about: Subject | None = None
    """The message, for the log."""


@dataclass(frozen=True, slots=True)
class GivenBack:
    """Not started here, or cut off by a drain: somebody else's, and not charged."""

    delivery: Delivery
    why: str


Step = SettledWith | Parked | Buried | GivenBack
