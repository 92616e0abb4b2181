"""A message that is ready to send, and its batch."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TypeAlias

from penstock.producer.outcomes import Outcome

ScriptArgs: TypeAlias = "tuple[str | bytes | int, ...]"


class EncodedMessage:
    """One message, encoded and checked."""

    __slots__ = ("args", "attempts", "batch", "correlation", "id", "key", "place", "size", "unanswered_since", "waits")

    def __init__(self, id_: str, args: ScriptArgs, size: int, key: str | None, correlation: str | None) -> None:
        """`args` are its arguments for `send.lua`."""
        self.id = id_
        self.args = args
        self.size = size
        """Bytes of its fields."""
        self.key = key
        self.correlation = correlation
        self.attempts = 0
        """Calls with this message that failed."""
        self.unanswered_since: float | None = None
        """When it was first sent without an answer; Redis may have it since then."""
        self.waits = False
        """Whether it waits in the queue."""
        self.batch: Batch
        self.place = 0


class Batch:
    """Messages that one caller waits for. It is over when all have an outcome, or when the caller is gone."""

    __slots__ = ("_left", "_outcomes", "done", "last_try", "messages", "started")

    def __init__(self, messages: Sequence[EncodedMessage], started: float, loop: asyncio.AbstractEventLoop) -> None:
        """Keep the messages in sending order."""
        self.messages = messages
        self.started = started
        self._outcomes: list[Outcome | None] = [None] * len(messages)
        self.last_try = False
        """Whether its timeout has expired; then a call in flight is not repeated."""
        self.done: asyncio.Future[None] = loop.create_future()
        self._left = len(messages)
        for place, message in enumerate(messages):
            message.batch = self
            message.place = place
        if not messages:
            self.done.set_result(None)

    @property
    def over(self) -> bool:
        """Whether it has all outcomes, or its caller is gone."""
        return self.done.done()

    def report(self, message: EncodedMessage, outcome: Outcome) -> None:
        """Record the outcome of a message, once for each."""
        self._outcomes[message.place] = outcome
        self._left -= 1
        if not self._left and not self.done.done():
            self.done.set_result(None)

    def abort(self, error: BaseException) -> None:
        """End the batch with an error."""
        if isinstance(error, asyncio.CancelledError):
            self.done.cancel()
        elif not self.done.done():
            self.done.set_exception(error)

    def outcomes(self) -> list[Outcome]:
        """Return the outcomes, once all are known."""
        return [outcome for outcome in self._outcomes if outcome is not None]
