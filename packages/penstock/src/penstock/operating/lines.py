"""Reads the lines of a file as they arrive.

A daemon thread reads, because some kinds of input do not work with the event loop, and the process must not wait for
a person who types. It uses `os.read`: a process that exits while a thread holds the lock of Python's reader aborts.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from contextlib import suppress

CHUNK = 1 << 16
AHEAD = 4
"""Chunks that are read ahead."""


async def lines(file: int) -> AsyncIterator[list[bytes]]:
    """Yield lists of complete lines, without line ends, as they arrive."""
    loop, chunks = asyncio.get_running_loop(), asyncio.Queue[bytes](AHEAD)

    def read() -> None:
        with suppress(RuntimeError, asyncio.CancelledError):  # the caller stopped reading
            while True:
                chunk = os.read(file, CHUNK)
                asyncio.run_coroutine_threadsafe(chunks.put(chunk), loop).result()
                if not chunk:
                    return

    threading.Thread(target=read, name="penstock-input", daemon=True).start()
    rest = b""
    while chunk := await chunks.get():
        *complete, rest = (rest + chunk).split(b"\n")
        if complete:
            yield complete
    if rest:
        yield [rest]
