"""Waiting messages by second of arrival, first in, first out."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

Cohort = tuple[int, int]
"""The second of arrival, and the number of messages."""


@dataclass(slots=True)
class Backlog:
    """New messages and those that were given back. The latter go first; their first wait is already counted."""

    new: deque[Cohort] = field(default_factory=deque)
    ready: deque[Cohort] = field(default_factory=deque)
    unread: int = 0
    given_back: int = 0
    waits: dict[int, int] = field(default_factory=dict)
    """Messages by seconds waited before their first attempt."""

    @property
    def waiting(self) -> int:
        """Messages that could be worked on now."""
        return self.unread + self.given_back

    def oldest(self, now: int) -> int:
        """The age of the oldest message, in seconds."""
        first = min(queue[0][0] for queue in (self.new, self.ready) if queue) if self.new or self.ready else now
        return now - first

    def send(self, now: int, count: int) -> None:
        """Add new messages."""
        self.new.append((now, count))
        self.unread += count

    def give_back(self, since: int, count: int) -> None:
        """Add messages that were started but not finished."""
        self.ready.append((since, count))
        self.given_back += count

    def take(self, now: int, count: int) -> None:
        """Start this number of waiting messages."""
        if self.given_back:
            again = min(count, self.given_back)
            _taken(self.ready, again)
            self.given_back -= again
            count -= again
        self.unread -= count
        for came, many in _taken(self.new, count):
            self.waits[now - came] = self.waits.get(now - came, 0) + many

    def waits_until(self, now: int) -> dict[int, int]:
        """All waits, including those that are not over at `now`."""
        waits = dict(self.waits)
        for came, many in self.new:
            waits[now - came] = waits.get(now - came, 0) + many
        return waits


def _taken(queue: deque[Cohort], count: int) -> list[Cohort]:
    taken = []
    while count:
        came, many = queue[0]
        if many > count:
            queue[0] = (came, many - count)
            taken.append((came, count))
            break
        queue.popleft()
        taken.append((came, many))
        count -= many
    return taken
