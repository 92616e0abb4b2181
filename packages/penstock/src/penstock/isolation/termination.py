"""Ends the process of a child, and finds out how it ended.

The fork server sends signals and reports exits: it is the children's parent, so a process id cannot belong to another
process. When the fork server is gone, the worker does both as well as it can. In a pod, where the worker is the first
process, the system makes it the parent of these children, and it must reap them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable
from typing import Protocol

_AFTER_SIGTERM = 0.5
_AFTER_SIGKILL = 5.0
"""Seconds for the fork server to report the exit; after that it counts as stuck."""
_AFTER_SILENCE = 1.0
"""Seconds from the end of a child's socket to the end of its process."""
_BETWEEN_CHECKS = 0.02


class ForkServerControl(Protocol):
    """The methods of a fork server's client that are needed here."""

    def signal(self, child: int, which: signal.Signals) -> None:
        """Send a signal to a child and everything that it has started."""

    def kill(self) -> None:
        """Kill a fork server that is stuck."""


class Termination:
    """Makes sure that a process ends, and reports its exit code."""

    def __init__(self, fork_server: ForkServerControl, number: int, ended: Callable[[int | None], None]) -> None:
        """`ended` is called once, with the exit code if it is known."""
        self._loop = asyncio.get_running_loop()
        self._fork_server = fork_server
        self._number = number
        self._on_end = ended
        self._timer: asyncio.TimerHandle | None = None
        self._orphaned = False
        self._closed = False
        self._ended = False
        self._give_up_at = 0.0
        self.pid = 0
        """0 until the child has reported it."""
        self.forced = False
        """Whether a signal was sent to the process."""

    def force_in(self, seconds: float) -> None:
        """End the process by SIGTERM, then by SIGKILL, unless `call_off` comes first."""
        if not (self.forced or self._closed or self._ended):
            self._after(seconds, self._terminate)

    def call_off(self) -> bool:
        """Let the process run on; return whether that is still possible."""
        if self.forced or self._closed or self._ended:
            return False
        self._stop_timer()
        return True

    def exited(self, code: int | None) -> None:
        """The process has ended."""
        if not self._ended:
            self._ended = True
            self._stop_timer()
            self._on_end(code)

    def closed(self) -> None:
        """The socket of the process is closed: it has ended, or its handler closed the socket and it must end."""
        self._closed = True
        if self._orphaned:
            self._check()
        else:
            self._after(_AFTER_SILENCE, self._kill)

    def orphaned(self, *, closed: bool) -> None:
        """The fork server is gone, and reports nothing more."""
        self._orphaned = True
        self._closed = closed
        if closed:
            self._check()
        elif self.forced:
            self._kill()

    def _terminate(self) -> None:
        self._signal(signal.SIGTERM)
        self._after(_AFTER_SIGTERM, self._kill)

    def _kill(self) -> None:
        self._signal(signal.SIGKILL)
        self._after(_AFTER_SIGKILL, self._give_up)

    def _give_up(self) -> None:
        if self._orphaned:
            self.exited(None)
        else:
            self._fork_server.kill()
            self._after(_AFTER_SIGKILL, self._give_up)

    def _signal(self, which: signal.Signals) -> None:
        self.forced = True
        if not self._orphaned:
            self._fork_server.signal(self._number, which)
        elif self.pid and not self._closed:  # its socket is open, so the process id is still its own
            _send(self.pid, which)

    def _check(self) -> None:
        """Check whether an orphaned child has ended."""
        self._give_up_at = self._give_up_at or time.monotonic() + _AFTER_SILENCE
        try:
            ended, status = os.waitpid(self.pid, os.WNOHANG) if self.pid else (0, 0)
        except ChildProcessError:  # another process is its parent now
            self.exited(None)
            return
        if ended:
            self.exited(os.waitstatus_to_exitcode(status))
        elif self.pid and time.monotonic() < self._give_up_at:
            self._after(_BETWEEN_CHECKS, self._check)
        else:
            self._abandon()

    def _abandon(self) -> None:
        if self.pid:
            self.forced = True
            _send(self.pid, signal.SIGKILL)
        self.exited(None)

    def _after(self, seconds: float, call: Callable[[], None]) -> None:
        self._stop_timer()
        self._timer = self._loop.call_later(seconds, call)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _send(process: int, which: signal.Signals) -> None:
    for send in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            send(process, which)
