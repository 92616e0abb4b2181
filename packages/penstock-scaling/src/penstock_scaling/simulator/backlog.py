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
            _take_oldest(self.ready, again)
            self.given_back -= again
            count -= again
        self.unread -= count
        for arrived, size in _take_oldest(self.new, count):
            self.waits[now - arrived] = self.waits.get(now - arrived, 0) + size

    def waits_until(self, now: int) -> dict[int, int]:
        """All waits, including those that are not over at `now`."""
        waits = dict(self.waits)
        for arrived, size in self.new:
            waits[now - arrived] = waits.get(now - arrived, 0) + size
        return waits


def _take_oldest(queue: deque[Cohort], count: int) -> list[Cohort]:
    cohorts = []
    while count:
        arrived, size = queue[0]
        if size > count:
            queue[0] = (arrived, size - count)
            cohorts.append((arrived, count))
            break
        queue.popleft()
        cohorts.append((arrived, size))
        count -= size
    return cohorts
