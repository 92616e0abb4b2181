"""What a worker under test does with a message: counts it and times it, or writes it into a ledger.

Each peer's worker imports this in its own environment, so it needs only the standard library. The worker of BullMQ and
that of asynq do the same in their languages.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections.abc import Mapping
from typing import Any

URL = os.environ.get("PEER_URL", "")
QUEUE = os.environ.get("PEER_QUEUE", "")
CONCURRENCY = int(os.environ.get("PEER_CONCURRENCY", "100"))
LEASE = int(os.environ.get("PEER_LEASE", "0"))
"""Seconds after which a lost worker's messages are run by another one; 0 leaves the peer's default."""
MESSAGES = int(os.environ.get("PEER_MESSAGES", "0"))
PROBES = int(os.environ.get("PEER_PROBES", "0"))
REPORT = os.environ.get("PEER_REPORT", "")
LEDGER = os.environ.get("PEER_LEDGER", "")
SECONDS = float(os.environ.get("PEER_SECONDS", "0"))
"""How long a message of the ledger takes, on average."""

Message = Mapping[str, Any]


class Calls:
    """The calls of the handler in this process."""

    lock = threading.Lock()
    count = 0
    first = 0.0
    latencies: list[float] = []  # noqa: RUF012 - a singleton in its own process


async def handle(message: Message) -> None:
    """Handle a message in an event loop."""
    if not LEDGER:
        hit(message)
        return
    write("begin", message)
    await asyncio.sleep(seconds(message))
    write("end", message)


def handle_in_thread(message: Message) -> None:
    """Handle a message in a thread."""
    if not LEDGER:
        hit(message)
        return
    write("begin", message)
    time.sleep(seconds(message))
    write("end", message)


def seconds(message: Message) -> float:
    """How long this message takes: of different length, so that not all of a batch end in the same moment."""
    return SECONDS * (0.5 + int(message["i"]) * 37 % 100 / 100)


def write(what: str, message: Message) -> None:
    """Add a line to the ledger: one write, so that a killed process leaves only whole lines."""
    line = f"{what} {message['i']} {time.monotonic():.3f} {os.getpid()}\n"
    descriptor = os.open(LEDGER, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, line.encode())
    os.close(descriptor)


def hit(message: Message) -> None:
    """Count a message. The first ones are the drain; those after it measure latency."""
    with Calls.lock:
        Calls.count += 1
        count = Calls.count
    if 1 < count < MESSAGES:
        return
    now = time.monotonic()
    if count == 1:
        Calls.first = now
        report("started", {"cpu": time.process_time()})
    if count == MESSAGES:
        report("drained", {"first": Calls.first, "last": now, "cpu": time.process_time(), "pid": os.getpid()})
    elif count > MESSAGES:
        with Calls.lock:
            Calls.latencies.append(now - message["t"])
            done = len(Calls.latencies) == PROBES
        if done:
            report("probed", {"latencies": Calls.latencies})


def report(name: str, figures: Mapping[str, Any]) -> None:
    """Write a report that appears whole or not at all."""
    path = f"{REPORT}.{name}"
    with open(path + ".part", "w") as part:  # noqa: PTH123 - the cheapest way, in the measured process
        json.dump(figures, part)
    os.replace(path + ".part", path)  # noqa: PTH105 - as above
