"""Until when the lease of a process lasts, judged without Redis.

Redis extends a lease when a renewal arrives, which is later than it was sent. So for one lease after the last good
renewal was sent, no other process can have taken over; after that, one may have. Each process judges by the monotonic
clock, which goes on while the process is suspended, and which all processes of a machine share.

Children that run a handler judge for themselves, because their worker may be suspended or blocked: they read the term
from a page of memory that the worker shares with them.
"""

from __future__ import annotations

import math
import mmap
import os
import struct
import tempfile
from collections.abc import Callable
from time import monotonic
from typing import Self

PAGE = struct.Struct("=d16s")
"""The end of the term, and the last characters of the consumer's name, which are random."""


def _mark_of(consumer: str) -> bytes:
    return consumer.encode()[-16:].rjust(16, b"\0")


class LeaseTerm:
    """The term of the current consumer. The side loop writes it; any thread may read it."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """No consumer is registered yet. `clock` is monotonic."""
        self.now = clock
        self._shared: mmap.mmap | None = None
        self.consumer = ""
        """Whose term it is."""
        self.until = math.inf
        """When the lease may have expired; infinity before the first registration."""

    @classmethod
    def shared(cls) -> tuple[Self, int]:
        """Create a term that children can read, and the file through which they read it."""
        term = cls()
        if hasattr(os, "memfd_create"):
            file = os.memfd_create("penstock-lease")
        else:
            with tempfile.TemporaryFile() as temporary:
                file = os.dup(temporary.fileno())
        os.ftruncate(file, mmap.PAGESIZE)
        term._shared = mmap.mmap(file, mmap.PAGESIZE)
        term._write()
        return term, file

    def begin(self, consumer: str, until: float) -> None:
        """Follow a new consumer."""
        self.until = -math.inf  # while the name changes
        self._write()
        self.consumer = consumer
        self.renew(until)

    def renew(self, until: float) -> None:
        """Set the end of the term, or end it."""
        self.until = until
        self._write()

    def left(self) -> float:
        """Seconds until the lease may have expired; 0 or less if it may have."""
        return self.until - self.now()

    def may_be_over(self) -> bool:
        """Whether the lease may have expired, so that others may have taken over."""
        return self.now() >= self.until

    def may_be_lost(self, consumer: str) -> bool:
        """Whether others may have taken over the messages of this consumer."""
        return self.now() >= self.until or consumer != self.consumer

    def _write(self) -> None:
        if self._shared is not None:
            PAGE.pack_into(self._shared, 0, self.until, _mark_of(self.consumer))


class SharedTerm:
    """The term of its worker, as a child reads it."""

    def __init__(self, file: int) -> None:
        """`file` is from `LeaseTerm.shared`."""
        self._page = mmap.mmap(file, mmap.PAGESIZE, prot=mmap.PROT_READ)

    def may_be_lost(self, consumer: str) -> bool:
        """Whether others may have taken over the messages of this consumer of the worker."""
        until, mark = PAGE.unpack_from(self._page)
        return bool(monotonic() >= until or mark != _mark_of(consumer))
