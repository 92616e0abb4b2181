"""Finds threads and sockets that an import leaves behind, which a fork would break.

A fork has only one thread: the others are gone, and the locks that they held stay locked. Forks share sockets, so one
may read the replies to another.
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
"""Time for threads that have ended in Python to end in the kernel."""
_SECONDS_TO_FORK = 1.0
_BETWEEN_CHECKS = 0.005


def sockets() -> set[str]:
    """List open sockets and event loops, if the system has /proc."""
    targets = set()
    with contextlib.suppress(OSError):
        for file in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(OSError):
                targets.add(str(file.readlink()))
    return {target for target in targets if target.startswith(("socket:", "anon_inode:[eventpoll]"))}


def left_behind(sockets_before: set[str]) -> str:
    """Return why this process must not fork; empty if it may."""
    if more := _threads_that_stay():
        return "its import starts a thread" if more == 1 else f"its import starts {more} threads"
    return "its import opens a socket or an event loop" if sockets() - sockets_before else ""


def _threads_that_stay() -> int:
    deadline = time.monotonic() + _SECONDS_TO_END
    while _threads() > 1 and time.monotonic() < deadline:
        time.sleep(_BETWEEN_CHECKS)
    if _threads() > 1:
        _fork_once()
    return _threads() - 1


def _fork_once() -> None:
    """Fork, so that libraries with fork handlers, such as numpy, end their threads; they restart them on demand."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of threads that do not end
        process = os.fork()
    if not process:
        os._exit(0)
    deadline = time.monotonic() + _SECONDS_TO_FORK
    while not os.waitpid(process, os.WNOHANG)[0]:
        if time.monotonic() > deadline:  # it waits for a lock of one of the threads
            os.kill(process, signal.SIGKILL)
        time.sleep(_BETWEEN_CHECKS)


def _threads() -> int:
    with contextlib.suppress(OSError):
        return len(list(Path("/proc/self/task").iterdir()))
    return threading.active_count()
