"""What an import has left behind that a fork would break.

A fork has one thread: others are gone in it, with the locks that they held. And forks share their sockets: the answers
to one are read by another.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
import warnings
from pathlib import Path

_SECONDS_TO_END = 0.05
"""For threads that have ended, as far as Python knows."""
_SECONDS_TO_FORK = 1.0
_BETWEEN_LOOKS = 0.005


def sockets() -> set[str]:
    """Open sockets and event loops, where the system tells."""
    found = set()
    with contextlib.suppress(OSError):
        for file in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(OSError):
                found.add(str(file.readlink()))
    return {what for what in found if what.startswith(("socket:", "anon_inode:[eventpoll]"))}


def left_behind(sockets_before: set[str]) -> str:
    """Tell in words what is in the way of a fork; empty when nothing is."""
    if more := _threads_that_stay():
        return "its import starts a thread" if more == 1 else f"its import starts {more} threads"
    return "its import opens a socket or an event loop" if sockets() - sockets_before else ""


def _threads_that_stay() -> int:
    deadline = time.monotonic() + _SECONDS_TO_END
    while _threads() > 1 and time.monotonic() < deadline:
        time.sleep(_BETWEEN_LOOKS)
    if _threads() > 1:
        _fork_once()
    return _threads() - 1


def _fork_once() -> None:
    """Let libraries that know forks end their threads, as numpy's does; they start others when they need them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python's own, of threads that do not end
        process = os.fork()
    if not process:
        os._exit(0)
    deadline = time.monotonic() + _SECONDS_TO_FORK
    while not os.waitpid(process, os.WNOHANG)[0]:
        if time.monotonic() > deadline:  # it waits for a lock that one of the threads holds
            os.kill(process, signal.SIGKILL)
        time.sleep(_BETWEEN_LOOKS)


def _threads() -> int:
    with contextlib.suppress(OSError):
        return len(list(Path("/proc/self/task").iterdir()))
    return threading.active_count()
