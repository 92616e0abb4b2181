"""Lines of a file as they come, so that what is written slowly is not waited for to its end.

A thread reads, for nothing else can be waited for beside Redis on every kind of input. It dies with the process: nobody
may have to wait for somebody who types. It reads from the system itself: a process that ends while a thread holds the
lock of Python's own reader is aborted.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from contextlib import suppress

CHUNK = 1 << 16
AHEAD = 4
"""Chunks that are read before somebody takes them."""


async def lines(file: int) -> AsyncIterator[list[bytes]]:
    """Those that are there, without their ends, again and again until the last."""
    loop, chunks = asyncio.get_running_loop(), asyncio.Queue[bytes](AHEAD)

    def read() -> None:
        with suppress(RuntimeError, asyncio.CancelledError):  # nobody waits any more
            while True:
                chunk = os.read(file, CHUNK)
                asyncio.run_coroutine_threadsafe(chunks.put(chunk), loop).result()
                if not chunk:
                    return

    threading.Thread(target=read, name="penstock-input", daemon=True).start()
    rest = b""
    while chunk := await chunks.get():
        *whole, rest = (rest + chunk).split(b"\n")
        if whole:
            yield whole
    if rest:
        yield [rest]
