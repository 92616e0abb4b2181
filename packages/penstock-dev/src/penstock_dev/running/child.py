"""A child process whose output is read, and which dies with its parent, even when the parent gets SIGKILL.

A watcher shell kills it when the parent's end of a pipe closes, as for the embedded server; see `penstock.embedded`.
It has a session of its own: Ctrl-C in the terminal reaches only the parent, which then stops it gracefully.
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

MAX_LINE = 1 << 20
"""Maximum bytes of a line; longer lines are dropped."""

OnLine = Callable[[bytes], object]
"""Called with each line."""


class Child:
    """A child process."""

    def __init__(self, command: Sequence[str], *, folder: Path, environ: Mapping[str, str], on_line: OnLine) -> None:
        """Start it on the running event loop, without an await in which a cancellation could lose it."""
        self._process = subprocess.Popen(  # noqa: S603 - trusted arguments
            ["/bin/sh", "-c", WATCHED, "sh", "", *command],
            cwd=folder,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self.started_at = time.monotonic()
        self.ended = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._reading = asyncio.create_task(self._read_output(on_line))
        threading.Thread(target=self._wait, name=f"penstock-wait-{self.pid}", daemon=True).start()

    @property
    def code(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        return self._process.returncode

    @property
    def age(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started_at

    def terminate(self) -> None:
        """Send SIGTERM."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self._signal(signal.SIGKILL)

    async def drain_output(self) -> None:
        """Wait for the exit and the remaining output, but not for a grandchild that holds the pipe open."""
        await self.ended.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                await asyncio.shield(self._reading)
        self._reading.cancel()

    def _signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)  # checks first that the process still runs

    def _wait(self) -> None:
        self._process.wait()
        pipe = self._process.stdin
        assert pipe  # noqa: S101 - requested above
        with contextlib.suppress(OSError), pipe:  # ends the watcher, which could otherwise kill a reused pid
            pipe.write(b"\n")
        with contextlib.suppress(RuntimeError):  # the event loop is already closed
            self._loop.call_soon_threadsafe(self.ended.set)

    async def _read_output(self, on_line: OnLine) -> None:
        output = self._process.stdout
        assert output  # noqa: S101 - requested above
        reader = asyncio.StreamReader(limit=MAX_LINE)
        transport, _ = await self._loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), output)
        try:
            while True:
                try:
                    line = await reader.readline()
                except ValueError:  # the line is too long, for example a printed picture
                    continue
                if not line:
                    return
                on_line(line.rstrip(b"\n"))
        finally:
            transport.close()
