"""Ends a process even if a team's code left tasks or threads behind."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from penstock.observe.events import Event
from penstock.observe.logs import Log

BROKEN = 70
"""The exit code of a pod whose event loop was blocked for too long, or in which a part failed."""
LINGER = 3.0
"""Seconds for tasks, threads and exit handlers that a team's code left behind."""

T = TypeVar("T")


def run_to_end(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T], log: Log) -> T:
    """Run a coroutine until it ends, even if a task of a handler calls `sys.exit`, which stops the loop."""
    task = loop.create_task(work)
    while True:
        try:
            return loop.run_until_complete(task)
        except (SystemExit, KeyboardInterrupt) as error:
            if task.done():
                raise
            log.event(Event.EXIT_IGNORED, error)


def end_process(code: int, *, at_once: bool) -> None:
    """End the process at once, or within seconds if tasks and threads that handlers started delay the exit."""

    def exit_now() -> None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        os._exit(code)

    if at_once:
        exit_now()
    timer = threading.Timer(LINGER, exit_now)
    timer.daemon = True  # the timer itself must not delay the exit
    timer.start()
