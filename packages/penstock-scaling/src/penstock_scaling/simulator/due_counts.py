"""Counts messages by the second in which they are due."""

from __future__ import annotations

from random import Random


class DueCounts:
    """The number of messages due in each second."""

    def __init__(self) -> None:
        """Start empty."""
        self.at: dict[int, int] = {}
        self.total = 0

    def add(self, when: int, count: int) -> None:
        self.at[when] = self.at.get(when, 0) + count
        self.total += count

    def pop(self, now: int) -> int:
        count = self.at.pop(now, 0)
        self.total -= count
        return count

    def postpone(self, now: int, until: int) -> None:
        """Move the messages that are due now to another second."""
        if count := self.pop(now):
            self.add(until, count)

    def clear(self) -> int:
        """Remove all; returns their number."""
        count, self.total = self.total, 0
        self.at.clear()
        return count

    def pick(self, count: int, random: Random) -> list[int]:
        """Remove messages at random; returns the seconds in which they were due."""
        picked: list[int] = []
        places = iter(sorted(random.sample(range(self.total), count)) if count < self.total else range(self.total))
        place, below = next(places, None), 0
        for when in sorted(self.at):
            below += self.at[when]
            while place is not None and place < below:
                picked.append(when)
                place = next(places, None)
        for when in picked:
            self.at[when] -= 1
        self.total -= count
        return picked
