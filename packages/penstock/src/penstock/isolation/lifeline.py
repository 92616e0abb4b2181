"""Ends children together with their worker, whatever they are doing.

The worker keeps the only writing end of a pipe on which nothing is ever written; the fork server and children hold
the reading end. When the worker is gone, even by SIGKILL, the kernel closes its end and sends the signal that was asked
for here: a child that holds the interpreter's lock in C code gets it too, where a thread that waits would not. It goes
to the child's process group, so that what a handler has started does not outlive it either.

The receiver of the signal belongs to an open file, which forks share. So each process opens the pipe again. On other
systems than Linux, children notice the worker's end by their socket alone.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys


def hold(lifeline: int) -> int | None:
    """Die with the writer of this pipe, together with the whole process group. Returns the file to keep open."""
    if sys.platform != "linux":
        return None
    try:
        own = os.open(f"/proc/self/fd/{lifeline}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        fcntl.fcntl(own, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(own, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(own, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC)
    except OSError:  # a sandbox without /proc or such signals: the socket must do
        return None
    poll = select.poll()
    poll.register(own)
    if poll.poll(0):  # the worker ended before the kernel watched the pipe
        os._exit(0)
    return own
