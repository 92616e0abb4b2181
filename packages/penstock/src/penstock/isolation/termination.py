"""The end of a child's process: how it is brought about, and how it is heard of.

The fork server sends the signals and tells the ends: it is the children's parent, so a number means the child that it
meant. When the fork server is gone the worker does both itself, as well as it can. In a pod, where the worker is the
first process, the system makes it the parent of these children, and it has to reap them.
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
"""Until the fork server has told the end; else it is taken for stuck."""
_AFTER_SILENCE = 1.0
"""From the end of a child's socket to the end of its process."""
_BETWEEN_LOOKS = 0.02


class ForkServerControl(Protocol):
    """What has to be known of a fork server here."""

    def signal(self, child: int, which: signal.Signals) -> None:
        """Have a signal sent to a child and all that it has started."""

    def kill(self) -> None:
        """End the fork server, which is stuck."""


class Termination:
    """Sees to it that a process ends, and hears how."""

    def __init__(self, fork_server: ForkServerControl, number: int, ended: Callable[[int | None], None]) -> None:
        """Call `ended` once, with the exit code where it is known."""
        self._loop = asyncio.get_running_loop()
        self._fork_server = fork_server
        self._number = number
        self._tell = ended
        self._timer: asyncio.TimerHandle | None = None
        self._orphan = False
        self._closed = False
        self._ended = False
        self._give_up_at = 0.0
        self.pid = 0
        """Told by the child itself; 0 while it is not."""
        self.forced = False
        """It was sent a signal."""

    def force_in(self, seconds: float) -> None:
        """End it by force unless it is called off before: by SIGTERM, then by SIGKILL."""
        if not (self.forced or self._closed or self._ended):
            self._after(seconds, self._terminate)

    def call_off(self) -> bool:
        """Let it live; whether that is still possible."""
        if self.forced or self._closed or self._ended:
            return False
        self._stop_timer()
        return True

    def exited(self, code: int | None) -> None:
        """It has ended."""
        if not self._ended:
            self._ended = True
            self._stop_timer()
            self._tell(code)

    def closed(self) -> None:
        """Its socket is closed: it has ended, or has closed what is not its own and will be ended."""
        self._closed = True
        if self._orphan:
            self._look()
        else:
            self._after(_AFTER_SILENCE, self._kill)

    def orphaned(self, *, closed: bool) -> None:
        """Nobody tells its end any more."""
        self._orphan = True
        self._closed = closed
        if closed:
            self._look()
        elif self.forced:
            self._kill()

    def _terminate(self) -> None:
        self._signal(signal.SIGTERM)
        self._after(_AFTER_SIGTERM, self._kill)

    def _kill(self) -> None:
        self._signal(signal.SIGKILL)
        self._after(_AFTER_SIGKILL, self._give_up)

    def _give_up(self) -> None:
        if self._orphan:
            self.exited(None)
        else:
            self._fork_server.kill()
            self._after(_AFTER_SIGKILL, self._give_up)

    def _signal(self, which: signal.Signals) -> None:
        self.forced = True
        if not self._orphan:
            self._fork_server.signal(self._number, which)
        elif self.pid and not self._closed:  # its socket is open, so the number is still its own
            _send(self.pid, which)

    def _look(self) -> None:
        """See whether a child that was left to us has ended."""
        self._give_up_at = self._give_up_at or time.monotonic() + _AFTER_SILENCE
        try:
            ended, status = os.waitpid(self.pid, os.WNOHANG) if self.pid else (0, 0)
        except ChildProcessError:  # left to somebody else
            self.exited(None)
            return
        if ended:
            self.exited(os.waitstatus_to_exitcode(status))
        elif self.pid and time.monotonic() < self._give_up_at:
            self._after(_BETWEEN_LOOKS, self._look)
        else:
            self._abandon()

    def _abandon(self) -> None:
        if self.pid:
            self.forced = True
            _send(self.pid, signal.SIGKILL)
        self.exited(None)

    def _after(self, seconds: float, what: Callable[[], None]) -> None:
        self._stop_timer()
        self._timer = self._loop.call_later(seconds, what)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _send(process: int, which: signal.Signals) -> None:
    for send in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            send(process, which)
