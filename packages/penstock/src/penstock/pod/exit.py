"""Ends a process in which a team's code has run, whatever that code left behind."""

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
"""The exit code of a pod that cannot go on: its event loop was blocked for too long, or a part of it has failed."""
LINGER = 3.0
"""Seconds for tasks, threads and exit handlers that a team's code left behind."""

T = TypeVar("T")


def run_to_end(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T], log: Log) -> T:
    """Run this to its end, even if a stray task of a handler calls `sys.exit`, which stops the loop."""
    task = loop.create_task(work)
    while True:
        try:
            return loop.run_until_complete(task)
        except (SystemExit, KeyboardInterrupt) as error:
            if task.done():
                raise
            log.event(Event.EXIT_IGNORED, error)


def end_process(code: int, *, at_once: bool) -> None:
    """End the process at once, or else soon if tasks and threads that handlers started keep it."""

    def exit_now() -> None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        os._exit(code)

    if at_once:
        exit_now()
    timer = threading.Timer(LINGER, exit_now)
    timer.daemon = True  # the timer itself must not keep the process
    timer.start()
