"""How a process ends in which a team's code has run: whatever that has left behind."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from penstock.observe.events import Event
from penstock.observe.logs import Log

LINGER = 3.0
"""Seconds for what handlers left behind, and for what they registered to be done at the end."""

T = TypeVar("T")

log = Log(logging.getLogger(__name__))


def through(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> T:
    """To its end. A task that a handler left behind and that calls `sys.exit` stops the loop, but not the work."""
    task = loop.create_task(work)
    while True:
        try:
            return loop.run_until_complete(task)
        except (SystemExit, KeyboardInterrupt) as error:
            if task.done():
                raise
            log.event(Event.EXIT_IGNORED, error)


def leave(code: int, *, at_once: bool) -> None:
    """End the process, whatever handlers have started and left behind: tasks and threads that do not end."""

    def leave_now() -> None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        os._exit(code)

    if at_once:
        leave_now()
    timer = threading.Timer(LINGER, leave_now)
    timer.daemon = True  # it must not be what keeps the process
    timer.start()
