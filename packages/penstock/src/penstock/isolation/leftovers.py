"""Finds threads and sockets that an import leaves behind, which a fork would break.

A fork has one thread: the others are gone, and the locks that they held stay locked. Forks share their sockets, so one
reads the answers to another.
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
"""For threads to end in the kernel that have ended in Python."""
_SECONDS_TO_FORK = 1.0
_BETWEEN_CHECKS = 0.005


def sockets() -> set[str]:
    """List open sockets and event loops, where the system has /proc."""
    found = set()
    with contextlib.suppress(OSError):
        for file in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(OSError):
                found.add(str(file.readlink()))
    return {what for what in found if what.startswith(("socket:", "anon_inode:[eventpoll]"))}


def left_behind(sockets_before: set[str]) -> str:
    """Say why this process must not fork; empty if it may."""
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
    """Fork, so that libraries with fork handlers end their threads, as numpy's does; they start new ones on demand."""
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
