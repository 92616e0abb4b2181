"""The worker's end is the end of its children, whatever they are doing.

The worker keeps the only writing end of a pipe on which nothing is ever written; the fork server and children hold
the reading end. When the worker is gone, even by SIGKILL, the kernel closes its end and sends the signal that was asked
for here: a child that holds the interpreter's lock in C code gets it too, where a thread that waits would not. It goes
to the child's process group, so that what a handler has started does not outlive it either.

A signal's receiver belongs to an open file, which forks share. So each process opens the pipe anew. Elsewhere than on
Linux children notice the worker's end by their socket alone.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys


def hold(lifeline: int) -> int | None:
    """Die with the writer of this pipe, together with the whole process group. Gives the file to keep open."""
    if sys.platform != "linux":
        return None
    try:
        own = os.open(f"/proc/self/fd/{lifeline}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        fcntl.fcntl(own, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(own, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(own, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC)
    except OSError:  # a sandbox without /proc, or without such signals: the socket must do
        return None
    poll = select.poll()
    poll.register(own)
    if poll.poll(0):  # gone before the kernel was asked to watch
        os._exit(0)
    return own
