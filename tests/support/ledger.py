"""A ledger outside Redis: what handlers did, in a file that only grows, one line in one write.

It is imported by handlers in worker processes, so it loads next to nothing. `LEDGER` names the file, `LEDGER_WORKER`
the worker process; child processes have both from their worker.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path


def note(what: str, message: str, fence: int) -> None:
    """One line, in one write: lines of several processes do not mix."""
    line = f"{what} {message} {fence} {os.environ['LEDGER_WORKER']} {os.getpid()} {time.monotonic():.6f}\n"
    file = os.open(os.environ["LEDGER"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, line.encode())
    finally:
        os.close(file)


@dataclass(frozen=True, slots=True)
class Line:
    """Something that a handler did."""

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
    # A write across two pages may be seen half done, so a last line without its end is not there yet.
    whole, _, _ = file.read_text().rpartition("\n")
    rows = (line.split(" ") for line in whole.splitlines())
    return [
        Line(what, message, int(fence), worker, int(pid), float(at)) for what, message, fence, worker, pid, at in rows
    ]


def by_message(lines: list[Line], what: str) -> dict[str, list[Line]]:
    """The lines of one kind, by message."""
    found: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        if line.what == what:
            found[line.message].append(line)
    return dict(found)
