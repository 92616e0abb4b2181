"""Records of messages, of their deliveries, and of the handlers that ran for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .plan import PlannedMessage


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that must never happen."""

    kind: str
    details: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.details}"


@dataclass(slots=True, eq=False)
class DeliveryRecord:
    """One delivery of an entry to a consumer."""

    entry: bytes
    consumer: str
    count: int
    process: str
    source: str
    """The state from which it was claimed; empty if it was new."""
    run: Run | None = None
    """The handler that started with it, or whose fence it renewed."""
    began: bool = False
    """Whether a handler started with it."""
    lost: bool = False
    """Whether it was taken over; then it counts even if no handler started."""
    freed: bool = False
    """Whether it does not count because it was given back or only renewed a fence."""

    def __str__(self) -> str:
        return f"{self.count} of {self.consumer}"

    @property
    def counts(self) -> bool:
        """Whether it counts as an attempt."""
        return (self.began or self.lost) and not self.freed


@dataclass(slots=True, eq=False)
class Run:
    """One call of a handler."""

    message: Message
    process: str
    consumer: str
    attempt: int
    why: Callable[[], str | None]
    """The reason of its cancellation, or None."""
    told: Callable[[], bool] = lambda: True
    """Whether its context says that others may run the message."""
    isolated: bool = False
    alone: bool = False
    """Whether it is a suspect that is not isolated, so that nothing else may run in its process."""
    how: str = ""
    """How it ended; empty while it runs."""

    @property
    def is_running(self) -> bool:
        return not self.how

    @property
    def has_failed(self) -> bool:
        return self.how in ("fail", "timeout", "crash-own") or self.why() == "timeout"


@dataclass(slots=True, eq=False)
class Message:
    """One message of the schedule, sent or not yet."""

    planned: PlannedMessage
    acked: bool = False
    """Whether the sender got an acknowledgement."""
    entered: int = 0
    """How often it entered the stream."""
    done: int = 0
    dead: list[str] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    deliveries: list[DeliveryRecord] = field(default_factory=list)
    kills: int = 0
    """How many workers its body killed."""
    forced: int = 0
    """The number of deliveries before the last forced claim."""
    uncounted: bool = False
    """Whether a foreign client deleted its uncharged deliveries."""
    alone_again: int = 0
    """How often a foreign client deleted the record of its additional attempt, which is then repeated."""
    foreign: bool = False
    """Whether a foreign change took it from its consumer."""
    recorded: bool = False
    """Whether the janitor has recorded its end since its last delivery, where finished entries stay."""
    may_repeat: int = 0
    """How often it may end again, because a foreign change came before that record, or while it ran."""
    vanishes_with: str = ""
    """The only process that can bring it back: finished entries stay, and a foreign client deleted its consumer during
    its first attempt, of which there is no record."""
    vanishes_since: float = 0.0
    """When that consumer was deleted."""
    vanished: bool = False
    """Whether that process was lost before it did."""
    due: float = 0.0
    """When its retry is due; before that, no worker may get it."""
    is_suspect: bool = False
    """Whether its worker was lost or its handler crashed, and no later attempt ended otherwise."""

    @property
    def name(self) -> str:
        return self.planned.name

    @property
    def ended(self) -> int:
        return self.done + len(self.dead)

    @property
    def charged(self) -> int:
        """The deliveries that count."""
        return sum(one.counts for one in self.deliveries)

    @property
    def charged_since_force(self) -> int:
        """The deliveries that count since the last forced claim, which starts a new count."""
        return sum(one.counts for one in self.deliveries[self.forced :])


@dataclass(frozen=True, slots=True)
class ServerState:
    """The contents of the server at one moment."""

    entries: dict[bytes, bytes]
    """The body of each entry in the stream."""
    pending: dict[bytes, tuple[str, int]] | None
    """Owner and delivery count; None without a group."""
    due: set[bytes]
    """Entries with a due time."""
