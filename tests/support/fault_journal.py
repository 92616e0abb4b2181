"""The ledger of `tests/faults`: files outside Redis, to which senders and handlers append one line with one write.

Worker processes import it, so it imports little. `LEDGER` names the file of their handlers.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path


def append(file: Path | str, *words: object) -> None:
    """Append the words and the time with one write, so that lines of several processes do not mix."""
    line = " ".join(map(str, (*words, f"{time.monotonic():.6f}"))) + "\n"
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)


def note(what: str, body: str, *about: object) -> None:
    """Record a step of a handler, `begin` or `end`; `about` is entry, fence, attempt and message, as in `Step`."""
    append(os.environ["LEDGER"], what, body, *about, os.getpid())


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a handler."""

    what: str
    body: str
    entry: str
    fence: int
    attempt: int
    message: str
    pid: int
    at: float


@dataclass(frozen=True, slots=True)
class Send:
    """One step of a sender: `attempted`, `acknowledged`, `unknown` or `refused`."""

    what: str
    body: str
    at: float


def steps(file: Path) -> list[Step]:
    """Read the complete lines of handlers."""
    rows = _rows(file)
    return [
        Step(what, body, entry, int(fence), int(attempt), message, int(pid), float(at))
        for what, body, entry, fence, attempt, message, pid, at in rows
    ]


def sends(file: Path) -> list[Send]:
    """Read the complete lines of senders."""
    return [Send(what, body, float(at)) for what, body, at in _rows(file)]


def _rows(file: Path) -> list[list[str]]:
    if not file.exists():
        return []
    complete, _, _ = file.read_text().rpartition("\n")
    return [line.split(" ") for line in complete.splitlines()]
