"""What is known of messages, of their deliveries, and of the handlers that were called for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .plan import Said


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that must never be."""

    kind: str
    says: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.says}"


@dataclass(slots=True, eq=False)
class Given:
    """One delivery of an entry to a consumer."""

    entry: bytes
    consumer: str
    count: int
    process: str
    source: str
    """The state it was claimed from; nothing when it was new."""
    run: Run | None = None
    """That began with it, or went on with it."""
    began: bool = False
    """A handler began with it; else it only renewed a fence, or nothing came of it."""
    lost: bool = False
    """It was taken over: it counts, begun or not."""
    freed: bool = False
    """It was given back, and counts for nothing."""

    def __str__(self) -> str:
        return f"{self.count} of {self.consumer}"

    @property
    def counts(self) -> bool:
        """As an attempt."""
        return (self.began or self.lost) and not self.freed


@dataclass(slots=True, eq=False)
class Run:
    """One call of a handler."""

    message: Message
    process: str
    consumer: str
    attempt: int
    why: Callable[[], str | None]
    """Why it was cancelled, if it was."""
    how: str = ""
    """How it ended; nothing while it goes on."""

    @property
    def goes_on(self) -> bool:
        return not self.how

    @property
    def has_failed(self) -> bool:
        return self.how in ("fail", "timeout", "crash-own") or self.why() == "timeout"


@dataclass(slots=True, eq=False)
class Message:
    """One message that was sent, or was to be sent."""

    said: Said
    acked: bool = False
    """The sender was told that it is there."""
    entered: int = 0
    """How often it really was taken."""
    done: int = 0
    dead: list[str] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    givens: list[Given] = field(default_factory=list)
    forced: int = 0
    """Deliveries before it was brought back by force."""
    uncounted: bool = False
    """Somebody deleted what was counted."""
    foreign: bool = False
    """Somebody else's hand took it from whoever had it."""

    @property
    def name(self) -> str:
        return self.said.name

    @property
    def ended(self) -> int:
        return self.done + len(self.dead)

    @property
    def charged(self) -> int:
        """Deliveries that count."""
        return sum(one.counts for one in self.givens)

    @property
    def charged_lately(self) -> int:
        """The same, since it was brought back by force: that begins anew."""
        return sum(one.counts for one in self.givens[self.forced :])


@dataclass(frozen=True, slots=True)
class Seen:
    """What the server has, at one moment."""

    entries: dict[bytes, bytes]
    """The body of each entry in the stream."""
    pending: dict[bytes, tuple[str, int]] | None
    """Owner and delivery count; nothing when there is no group."""
    due: set[bytes]
    """Entries with a due time."""
