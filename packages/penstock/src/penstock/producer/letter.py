"""A message on its way to Redis, and the call that it belongs to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TypeAlias

from penstock.producer.outcomes import Outcome

Words: TypeAlias = "tuple[str | bytes | int, ...]"


class Letter:
    """One message, encoded and checked."""

    __slots__ = ("attempts", "correlation", "doubtful_since", "id", "key", "order", "place", "size", "waits", "words")

    def __init__(self, id_: str, words: Words, size: int, key: str | None, correlation: str | None) -> None:
        """`words` is what `send.lua` is told of it."""
        self.id = id_
        self.words = words
        self.size = size
        """Bytes of its fields."""
        self.key = key
        self.correlation = correlation
        self.attempts = 0
        """Calls that met trouble with it on board."""
        self.doubtful_since: float | None = None
        """When it was first sent without an answer: it may be there since then."""
        self.waits = False
        """For its turn."""
        self.order: Order
        self.place = 0


class Order:
    """Letters that one caller waits for. It is over when all have an outcome, or when the caller is gone."""

    __slots__ = ("_left", "_outcomes", "began", "done", "last_try", "letters")

    def __init__(self, letters: Sequence[Letter], began: float, loop: asyncio.AbstractEventLoop) -> None:
        """In the order in which they are to be sent."""
        self.letters = letters
        self.began = began
        self._outcomes: list[Outcome | None] = [None] * len(letters)
        self.last_try = False
        """Its time is over: what is on its way now is not repeated."""
        self.done: asyncio.Future[None] = loop.create_future()
        self._left = len(letters)
        for place, letter in enumerate(letters):
            letter.order = self
            letter.place = place
        if not letters:
            self.done.set_result(None)

    @property
    def over(self) -> bool:
        """Nobody waits for it any more."""
        return self.done.done()

    def tell(self, letter: Letter, outcome: Outcome) -> None:
        """What became of a letter; each is told once."""
        self._outcomes[letter.place] = outcome
        self._left -= 1
        if not self._left and not self.done.done():
            self.done.set_result(None)

    def break_off(self, error: BaseException) -> None:
        """Nothing more becomes of it."""
        if isinstance(error, asyncio.CancelledError):
            self.done.cancel()
        elif not self.done.done():
            self.done.set_exception(error)

    def told(self) -> list[Outcome]:
        """What became of each, once it is done."""
        return [outcome for outcome in self._outcomes if outcome is not None]
