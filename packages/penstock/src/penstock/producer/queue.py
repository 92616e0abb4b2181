"""A queue of messages to send. Withdrawing a message only marks it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from penstock.producer.encoded import EncodedMessage


class Queue:
    """Keeps withdrawn messages until they are reached, or until they are more than half of all."""

    def __init__(self) -> None:
        """Start empty."""
        self._places: deque[EncodedMessage] = deque()
        self._withdrawn = 0

    def __len__(self) -> int:
        """Return the number of waiting messages."""
        return len(self._places) - self._withdrawn

    @property
    def first(self) -> EncodedMessage:
        """The message at the front, right after it was put back."""
        return self._places[0]

    def put(self, messages: Sequence[EncodedMessage]) -> None:
        """Add messages at the end."""
        for message in messages:
            message.waits = True
        self._places.extend(messages)

    def put_back(self, messages: Sequence[EncodedMessage]) -> None:
        """Return messages to the front, in their original order."""
        for message in messages:
            message.waits = True
        self._places.extendleft(reversed(messages))

    def take(self, most: int, most_bytes: int) -> list[EncodedMessage]:
        """Take the next messages within both limits, at least one if there is any."""
        messages: list[EncodedMessage] = []
        size = 0
        while self._places and len(messages) < most:
            message = self._places[0]
            if message.waits:
                size += message.size
                if messages and size > most_bytes:
                    break
                message.waits = False
                messages.append(message)
            else:
                self._withdrawn -= 1
            self._places.popleft()
        return messages

    def withdraw(self, messages: Iterable[EncodedMessage]) -> list[EncodedMessage]:
        """Remove those of the messages that wait here, and return them."""
        withdrawn = [message for message in messages if message.waits]
        for message in withdrawn:
            message.waits = False
        self._withdrawn += len(withdrawn)
        if 2 * self._withdrawn > len(self._places):
            self._places = deque(message for message in self._places if message.waits)
            self._withdrawn = 0
        return withdrawn

    def clear(self) -> list[EncodedMessage]:
        """Remove and return all waiting messages."""
        waiting = [message for message in self._places if message.waits]
        for message in waiting:
            message.waits = False
        self._places.clear()
        self._withdrawn = 0
        return waiting
