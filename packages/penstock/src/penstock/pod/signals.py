"""Handles SIGTERM and SIGINT: the first one starts the drain, a second one ends the process at once."""

from __future__ import annotations

import asyncio
import os
import signal

from penstock.observe.events import Event
from penstock.pod.role import Program, Role


def handle_signals(loop: asyncio.AbstractEventLoop, role: Role, program: Program) -> None:
    """Install the signal handlers; called in the loop's thread."""
    received: list[signal.Signals] = []

    def handle(number: signal.Signals) -> None:
        if received:
            role.log.event(Event.SIGNAL_REPEATED, signal=number.name)
            os._exit(128 + number)
        received.append(number)
        role.log.event(Event.SIGNAL_RECEIVED, signal=number.name)
        program.drain()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, handle, number)
