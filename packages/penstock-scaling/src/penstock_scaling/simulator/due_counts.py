"""Messages by the second in which something becomes of them."""

from __future__ import annotations

from random import Random


class DueCounts:
    """How many, and when."""

    def __init__(self) -> None:
        """None yet."""
        self.at: dict[int, int] = {}
        self.total = 0

    def add(self, when: int, count: int) -> None:
        self.at[when] = self.at.get(when, 0) + count
        self.total += count

    def pop(self, now: int) -> int:
        count = self.at.pop(now, 0)
        self.total -= count
        return count

    def put_off(self, now: int, until: int) -> None:
        """What is due now is due then."""
        if count := self.pop(now):
            self.add(until, count)

    def clear(self) -> int:
        """Forget them all; how many there were."""
        count, self.total = self.total, 0
        self.at.clear()
        return count

    def pick(self, count: int, random: Random) -> list[int]:
        """Take so many out at random: the seconds in which they were due."""
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
