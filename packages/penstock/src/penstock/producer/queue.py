"""Letters that wait for their turn, in order. Any of them may be withdrawn, at the cost of a mark."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from penstock.producer.letter import Letter


class Queue:
    """What was withdrawn keeps its place until it is passed, or until the places of such are more than half of all."""

    def __init__(self) -> None:
        """Empty."""
        self._places: deque[Letter] = deque()
        self._withdrawn = 0

    def __len__(self) -> int:
        """How many wait."""
        return len(self._places) - self._withdrawn

    @property
    def first(self) -> Letter:
        """The one that was just put back."""
        return self._places[0]

    def put(self, letters: Sequence[Letter]) -> None:
        """Behind all others."""
        for letter in letters:
            letter.waits = True
        self._places.extend(letters)

    def put_back(self, letters: Sequence[Letter]) -> None:
        """Before all others, in the order in which they were taken."""
        for letter in letters:
            letter.waits = True
        self._places.extendleft(reversed(letters))

    def take(self, most: int, most_bytes: int) -> list[Letter]:
        """The next ones, within both bounds, but at least one where there is any."""
        taken: list[Letter] = []
        size = 0
        while self._places and len(taken) < most:
            letter = self._places[0]
            if letter.waits:
                size += letter.size
                if taken and size > most_bytes:
                    break
                letter.waits = False
                taken.append(letter)
            else:
                self._withdrawn -= 1
            self._places.popleft()
        return taken

    def withdraw(self, letters: Iterable[Letter]) -> list[Letter]:
        """Those of them that wait here do so no longer."""
        gone = [letter for letter in letters if letter.waits]
        for letter in gone:
            letter.waits = False
        self._withdrawn += len(gone)
        if 2 * self._withdrawn > len(self._places):
            self._places = deque(letter for letter in self._places if letter.waits)
            self._withdrawn = 0
        return gone

    def clear(self) -> list[Letter]:
        """All that wait, which do so no longer."""
        gone = [letter for letter in self._places if letter.waits]
        for letter in gone:
            letter.waits = False
        self._places.clear()
        self._withdrawn = 0
        return gone
