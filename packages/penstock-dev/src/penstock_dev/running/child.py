"""A process of ours: what it says is heard, and it does not outlive us, not even when we are killed with SIGKILL.

It is watched as the embedded server is, see `penstock.embedded`: when we are gone, a pipe of ours closes. It has a
session of its own, so that Ctrl-C in a terminal reaches us alone, who then ask it to leave.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from penstock.embedded import WATCHED

LONGEST = 1 << 20
"""Bytes of one line that are looked at."""

OnLine = Callable[[bytes], object]
"""Is told each line."""


class Child:
    """One process, from its start on."""

    def __init__(self, words: Sequence[str], *, folder: Path, environ: Mapping[str, str], on_line: OnLine) -> None:
        """Start it, inside a loop. Nothing is awaited, so that nothing can come between its start and its keeping."""
        self._process = subprocess.Popen(  # noqa: S603 - a process of ours
            ["/bin/sh", "-c", WATCHED, "sh", "", *words],
            cwd=folder,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self.began = time.monotonic()
        self.ended = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._hearing = asyncio.create_task(self._hear(on_line))
        threading.Thread(target=self._wait, name=f"penstock-wait-{self.pid}", daemon=True).start()

    @property
    def code(self) -> int | None:
        """How it ended; negative by a signal; None while it runs."""
        return self._process.returncode

    @property
    def age(self) -> float:
        """Seconds since it was started."""
        return time.monotonic() - self.began

    def terminate(self) -> None:
        """SIGTERM: it may finish what it does."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL."""
        self._signal(signal.SIGKILL)

    async def heard(self) -> None:
        """Wait for the end, and for what it said last; a grandchild that holds its output is not waited for."""
        await self.ended.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                await asyncio.shield(self._hearing)
        self._hearing.cancel()

    def _signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)  # which looks first whether it still runs

    def _wait(self) -> None:
        self._process.wait()
        pipe = self._process.stdin
        assert pipe  # noqa: S101 - it was asked for
        with contextlib.suppress(OSError), pipe:  # its watcher must not kill whoever is given its number next
            pipe.write(b"\n")
        with contextlib.suppress(RuntimeError):  # the loop has ended before it
            self._loop.call_soon_threadsafe(self.ended.set)

    async def _hear(self, on_line: OnLine) -> None:
        output = self._process.stdout
        assert output  # noqa: S101 - it was asked for
        reader = asyncio.StreamReader(limit=LONGEST)
        transport, _ = await self._loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), output)
        try:
            while True:
                try:
                    line = await reader.readline()
                except ValueError:  # longer than that: a handler that prints a picture
                    continue
                if not line:
                    return
                on_line(line.rstrip(b"\n"))
        finally:
            transport.close()
