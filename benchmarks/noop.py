"""Handlers that do nothing but measure when they are called."""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

EXPECTED = int(os.environ.get("BENCH_MESSAGES", "0"))
REPORT = os.environ.get("BENCH_REPORT", "")
MARKS = [int(mark) for mark in os.environ.get("BENCH_MARKS", "").split(",") if mark]


class Calls:
    """Counts, times and memory of this process."""

    count = 0
    first = 0.0
    cpu = 0.0
    latencies: list[float] = []  # noqa: RUF012 - a singleton in its own process
    sizes: dict[int, float] = {}  # noqa: RUF012 - a singleton in its own process


def resident() -> float:
    """The resident memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


async def handle(message: Mapping[str, Any], context: object) -> None:  # noqa: ARG001 - a handler's two parameters
    """Count the message."""
    count()


async def measure_latency(message: Mapping[str, Any], context: object) -> None:  # noqa: ARG001 - as above
    """Record how long the message took to arrive."""
    Calls.latencies.append(time.monotonic() - message["at"])
    count()


def count() -> None:
    """Count a message, and write the report after the last."""
    if not Calls.count:
        Calls.first = time.monotonic()
        Calls.cpu = time.process_time()
    Calls.count += 1
    if Calls.count in MARKS:
        Calls.sizes[Calls.count] = resident()
    if Calls.count == EXPECTED:
        seconds, cpu = time.monotonic() - Calls.first, time.process_time() - Calls.cpu
        results = {
            "first": Calls.first,
            "seconds": seconds,
            "cpu": cpu,
            "rss": resident(),
            "sizes": Calls.sizes,
            "latencies": Calls.latencies,
        }
        part = Path(REPORT + ".part")
        part.write_text(json.dumps(results))
        part.rename(REPORT)
