"""A delivery of a message to this worker, and the steps that may follow it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from penstock.keys import SUSPECT
from penstock.observe.subject import Subject


class Delivery:
    """An entry, its consumer and its delivery count, which together are its fence."""

    __slots__ = ("consumer", "count", "fields", "id", "left_out", "lost_isolated", "renewals", "source", "uncharged")

    def __init__(  # noqa: PLR0913, PLR0917 - created for each message, and keywords cost time
        self, id_: bytes, fields: Sequence[bytes], consumer: str, count: int = 1, uncharged: int = 0, source: str = ""
    ) -> None:
        """The defaults are those of a new entry."""
        self.id = id_
        self.fields = fields
        """Names and values, alternating."""
        self.consumer = consumer
        self.count = count
        self.uncharged = uncharged
        """Deliveries that do not count as attempts."""
        self.source = source
        """The state from which it was claimed; empty if it was new."""
        self.lost_isolated = False
        """Whether its worker was lost again in its additional attempt, which ran alone."""
        self.left_out = 0
        """The bytes of its body if Redis did not send it; then `fields` has only Penstock's own."""
        self.renewals = 0
        """Deliveries of this attempt that only renewed its fence; they do not count as attempts, either."""

    @property
    def attempt(self) -> int:
        """Which attempt this is; the first is 1."""
        return self.count - self.uncharged

    @property
    def is_suspect(self) -> bool:
        """Whether a worker was lost that owned it."""
        return self.source == SUSPECT

    @property
    def fence(self) -> tuple[bytes, int]:
        """The fence, which scripts compare."""
        return self.id, self.count


@dataclass(frozen=True, slots=True)
class Result:
    """The result that a handler leaves. Only the step that settles the message writes it."""

    value: bytes
    """JSON."""
    keep: int
    """Milliseconds."""


@dataclass(frozen=True, slots=True)
class SettledWith:
    """Settle the message, and keep its result."""

    delivery: Delivery
    result: Result


@dataclass(frozen=True, slots=True)
class Parked:
    """Wait for another attempt."""

    delivery: Delivery
    wait: int
    """Milliseconds."""
    class_: str
    """The failure class that matched; empty if none did."""
    crashed: bool = False
    """Whether its handler crashed its process; then the message is suspect from now on."""
    uncharged: bool = False
    """Whether this delivery was not an attempt: no handler could start."""
    only_to_bury: bool = False
    """Whether it is not run again, because it killed its process in its last attempt."""


@dataclass(frozen=True, slots=True)
class Buried:
    """Write a dead letter."""

    delivery: Delivery
    reason: str
    error: str
    """For the dead letter."""
    cause: str = ""
    """For the log: without the text of an exception."""
    at: str = ""
    """Where in the team's code it failed."""
    subject: Subject | None = None
    """The message, for the log."""


@dataclass(frozen=True, slots=True)
class GivenBack:
    """Leave the message to other workers, without charging an attempt."""

    delivery: Delivery
    why: str


@dataclass(frozen=True, slots=True)
class Recovered:
    """Ask for a message again whose step found it pending nowhere: its consumer was deleted while it ran."""

    delivery: Delivery
    uncharged: int
    """Its deliveries that are not charged."""


Step = SettledWith | Parked | Buried | GivenBack | Recovered
