"""How many messages to request at a time, so that an answer fits into memory and arrives over a slow link.

XREADGROUP limits the number of entries, not their bytes. So this estimates the bytes of a message from recent answers;
before the first one, a message may have `message.max_size`.
"""

from __future__ import annotations

BUDGET = 64 << 20
"""Bytes of one answer where memory is not limited."""
SURPRISE = 1.5
"""An answer may exceed the budget by this factor, because the estimate comes from other messages."""
OVERHEAD = 1 << 16
"""Bytes of an entry besides its body."""
FORGETS = 0.9
"""How much of the estimate each smaller answer leaves."""
UNLIMITED = 1 << 20


class ReadSize:
    """The number of messages of the next read or claim."""

    def __init__(self, max_size: int, budget: int | None) -> None:
        """`max_size` is that of a body, `budget` the most bytes of an answer; None if memory is not limited."""
        self.budget = BUDGET if budget is None else budget
        """Bytes that one answer should not exceed."""
        self.most_received: int | None = None
        """Bytes above which an answer is dropped before it fills the memory; None if memory is not limited."""
        if budget is not None:
            self.most_received = int(SURPRISE * max(budget, max_size + OVERHEAD))
        self._message: float = max_size
        self._limit = UNLIMITED

    def count(self, most: int) -> int:
        """How many new messages to request, at most this many."""
        return max(1, min(most, self._limit, int(self.budget / self._message)))

    def claimed_count(self, most: int) -> int:
        """How many messages to claim; the script limits their bytes."""
        return min(most, self._limit)

    def received(self, entries: int, size: int) -> None:
        """Learn from the answer to a read, which has this many bytes."""
        self._message = max(size / entries, FORGETS * self._message, 1.0)
        self.claimed()

    def claimed(self) -> None:
        """Request more again after an answer."""
        if self._limit < UNLIMITED:
            self._limit *= 2

    def failed(self, asked: int, *, oversized: bool) -> None:
        """Request less after an answer that did not arrive in time, or was too large."""
        self._limit = max(1, min(asked, self._limit) // 2)
        if oversized:
            self._message = max(self._message, self.budget)
