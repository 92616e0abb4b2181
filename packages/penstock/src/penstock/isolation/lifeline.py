"""Ends children together with their worker, even if they are busy in C code.

The worker has the only writing end of a pipe to which nothing is ever written; the fork server and children have the
reading end. When the worker ends, even by SIGKILL, the kernel closes its end and sends the signal that this module
requests. It also stops a child that holds the interpreter's lock in C code, where a waiting thread would not run. The
signal goes to the child's process group, so programs that a handler started end as well.

The receiver of the signal is a property of an open file, which forks share, so each process opens the pipe again. On
systems other than Linux, children notice the worker's end only by their socket.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys


def hold(lifeline: int) -> int | None:
    """End this process group when the writer of the pipe ends. Returns the file to keep open."""
    if sys.platform != "linux":
        return None
    try:
        own = os.open(f"/proc/self/fd/{lifeline}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        fcntl.fcntl(own, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(own, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(own, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC)
    except OSError:  # a sandbox without /proc or such signals: the socket must suffice
        return None
    poll = select.poll()
    poll.register(own)
    if poll.poll(0):  # the worker ended before the kernel watched the pipe
        os._exit(0)
    return own
