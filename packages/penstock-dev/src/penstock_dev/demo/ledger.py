"""A file outside Redis that records what handlers did. It only grows, and each line is one write, so lines never mix.

Worker processes import this module, so it imports little.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "PENSTOCK_DEMO_LEDGER"
"""The path of the file, for workers and their children."""
STARTED, FINISHED = "begins", "ends"


def append(event: str, message: str, attempt: int) -> None:
    """Append a line."""
    line = f"{event} {message} {attempt} {os.getpid()} {time.monotonic():.3f}\n"
    file = os.open(os.environ[VARIABLE], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, line.encode())
    finally:
        os.close(file)


@dataclass(frozen=True, slots=True)
class Line:
    """A start or an end of a handler."""

    event: str
    message: str
    attempt: int
    pid: int
    at: float


def read(file: Path) -> list[Line]:
    """Read all complete lines."""
    if not file.exists():
        return []
    # A reader can see half of a write across two pages, so skip a last line without its end.
    complete, _, _ = file.read_text().rpartition("\n")
    rows = (line.split(" ") for line in complete.splitlines())
    return [Line(event, message, int(attempt), int(pid), float(at)) for event, message, attempt, pid, at in rows]


@dataclass(frozen=True, slots=True)
class KilledWorker:
    """The worker that was killed."""

    name: str
    pid: int
    at: float


@dataclass(frozen=True, slots=True)
class Accounting:
    """What happened to all messages."""

    sent: frozenset[str]
    done: frozenset[str]
    dead: int
    interrupted: frozenset[str]
    """Ran twice: the handler was running when the worker was killed."""
    unsettled: frozenset[str]
    """Ran twice: the handler had returned, but the message was not settled in Redis."""
    unexplained: frozenset[str]
    """Ran twice for an unknown reason."""
    delays: tuple[float, ...] = ()
    """Seconds from the kill to the second run of each interrupted or unsettled message."""

    @property
    def duplicates(self) -> int:
        """The number of messages that ran twice."""
        return len(self.interrupted | self.unsettled | self.unexplained)

    @property
    def lost(self) -> int:
        """Messages that are neither done nor dead."""
        return max(0, len(self.sent - self.done) - self.dead)

    @property
    def adds_up(self) -> bool:
        """Whether all messages are done and each second run is explained."""
        return self.sent == self.done and not self.dead and not self.unexplained


def account(sent: Iterable[str], lines: Iterable[Line], dead: int, killed: KilledWorker | None) -> Accounting:
    """Compare the sent messages with the ledger."""
    by_message: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        by_message[line.message].append(line)
    interrupted, unsettled, unexplained, delays = set[str](), set[str](), set[str](), list[float]()
    for message, runs in by_message.items():
        starts = sorted((line for line in runs if line.event == STARTED), key=lambda line: line.at)
        if len(starts) == 1:
            continue
        first, second = starts[:2]
        if killed is None or first.pid != killed.pid or len(starts) > 2:  # noqa: PLR2004 - more than twice
            unexplained.add(message)
            continue
        returned = any(line.event == FINISHED and line.pid == killed.pid for line in runs)
        (unsettled if returned else interrupted).add(message)
        delays.append(second.at - killed.at)
    done = frozenset(message for message, runs in by_message.items() if any(line.event == FINISHED for line in runs))
    return Accounting(
        frozenset(sent), done, dead, frozenset(interrupted), frozenset(unsettled), frozenset(unexplained), tuple(delays)
    )
