"""Handlers that do nothing, and say when they were first and last called."""

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


class Called:
    """How often, since when, and how large the process was meanwhile."""

    count = 0
    first = 0.0
    cpu = 0.0
    latencies: list[float] = []  # noqa: RUF012 - there is one, in a process of its own
    sizes: dict[int, float] = {}  # noqa: RUF012 - there is one, in a process of its own


def resident() -> float:
    """Megabytes of this process that are in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


async def handle(message: Mapping[str, Any], context: object) -> None:  # noqa: ARG001 - a handler's two parameters
    """Count."""
    called()


async def tell(message: Mapping[str, Any], context: object) -> None:  # noqa: ARG001 - as above
    """How long the message took to get here."""
    Called.latencies.append(time.monotonic() - message["at"])
    called()


def called() -> None:
    """One more message; after the last, write the report."""
    if not Called.count:
        Called.first = time.monotonic()
        Called.cpu = time.process_time()
    Called.count += 1
    if Called.count in MARKS:
        Called.sizes[Called.count] = resident()
    if Called.count == EXPECTED:
        seconds, cpu = time.monotonic() - Called.first, time.process_time() - Called.cpu
        told = {
            "first": Called.first,
            "seconds": seconds,
            "cpu": cpu,
            "rss": resident(),
            "sizes": Called.sizes,
            "latencies": Called.latencies,
        }
        part = Path(REPORT + ".part")
        part.write_text(json.dumps(told))
        part.rename(REPORT)
