"""A handler module that replaces the signal handlers."""

from __future__ import annotations

import asyncio
import importlib
import signal
from collections.abc import Mapping

from penstock.isolation import JSON, ChildProgram

LOOPS: list[asyncio.AbstractEventLoop] = []


def make(config: Mapping[str, JSON]) -> ChildProgram:
    """Let SIGINT and SIGTERM end the process; with an event loop, in every child."""
    for which in (signal.SIGINT, signal.SIGTERM):
        signal.signal(which, signal.SIG_DFL)
    if config.get("loop"):
        LOOPS.append(asyncio.new_event_loop())
    program: ChildProgram = importlib.import_module("actions").make(config)
    return program
