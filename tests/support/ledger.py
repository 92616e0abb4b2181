"""A ledger outside Redis: handlers append what they do to a file, each line with one write.

Handlers import it in worker processes, so it imports little. `LEDGER` names the file, `LEDGER_WORKER` the worker
process; child processes inherit both from their worker.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path


def note(what: str, message: str, fence: int) -> None:
    """Append a line with one write, so lines of several processes do not mix."""
    line = f"{what} {message} {fence} {os.environ['LEDGER_WORKER']} {os.getpid()} {time.monotonic():.6f}\n"
    file = os.open(os.environ["LEDGER"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, line.encode())
    finally:
        os.close(file)


@dataclass(frozen=True, slots=True)
class Line:
    """One action of a handler."""

    what: str
    message: str
    fence: int
    worker: str
    pid: int
    at: float


def read(file: Path) -> list[Line]:
    """Read all complete lines."""
    if not file.exists():
        return []
    # A reader may see half of a write across two pages, so a last line without its end does not count yet.
    complete, _, _ = file.read_text().rpartition("\n")
    rows = (line.split(" ") for line in complete.splitlines())
    return [
        Line(what, message, int(fence), worker, int(pid), float(at)) for what, message, fence, worker, pid, at in rows
    ]


def by_message(lines: list[Line], what: str) -> dict[str, list[Line]]:
    """The lines of one kind, by message."""
    grouped: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        if line.what == what:
            grouped[line.message].append(line)
    return dict(grouped)
