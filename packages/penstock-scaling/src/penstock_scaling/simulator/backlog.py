"""What waits: messages by the second in which they came, first come, first started."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

Cohort = tuple[int, int]
"""The second in which they came, and how many."""


@dataclass(slots=True)
class Backlog:
    """New messages, and those that were given back; the latter go first, and their first wait was counted before."""

    new: deque[Cohort] = field(default_factory=deque)
    ready: deque[Cohort] = field(default_factory=deque)
    unread: int = 0
    given_back: int = 0
    waits: dict[int, int] = field(default_factory=dict)
    """How many messages waited so many seconds before they were started for the first time."""

    @property
    def waiting(self) -> int:
        """Messages that could be worked on now."""
        return self.unread + self.given_back

    def oldest(self, now: int) -> int:
        """Seconds that the oldest has waited."""
        first = min(queue[0][0] for queue in (self.new, self.ready) if queue) if self.new or self.ready else now
        return now - first

    def send(self, now: int, count: int) -> None:
        """New ones."""
        self.new.append((now, count))
        self.unread += count

    def give_back(self, since: int, count: int) -> None:
        """Ones that were started and did not end."""
        self.ready.append((since, count))
        self.given_back += count

    def take(self, now: int, count: int) -> None:
        """Start so many, which must be there."""
        if self.given_back:
            again = min(count, self.given_back)
            _taken(self.ready, again)
            self.given_back -= again
            count -= again
        self.unread -= count
        for came, many in _taken(self.new, count):
            self.waits[now - came] = self.waits.get(now - came, 0) + many

    def still(self, now: int) -> dict[int, int]:
        """The waits, with those that wait for the first time yet: they have waited until now."""
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
