"""What handlers did, in a file outside Redis that only grows: one line in one write, so that lines never mix.

Worker processes import it, so it loads next to nothing.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "PENSTOCK_DEMO_LEDGER"
"""Names the file, for workers and their children."""
STARTED, FINISHED = "begins", "ends"


def append(what: str, message: str, attempt: int) -> None:
    """One line."""
    line = f"{what} {message} {attempt} {os.getpid()} {time.monotonic():.3f}\n"
    file = os.open(os.environ[VARIABLE], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, line.encode())
    finally:
        os.close(file)


@dataclass(frozen=True, slots=True)
class Line:
    """Something that a handler did."""

    what: str
    message: str
    attempt: int
    pid: int
    at: float


def read(file: Path) -> list[Line]:
    """All of it."""
    if not file.exists():
        return []
    rows = (line.split(" ") for line in file.read_text().splitlines())
    return [Line(what, message, int(attempt), int(pid), float(at)) for what, message, attempt, pid, at in rows]


@dataclass(frozen=True, slots=True)
class KilledWorker:
    """A worker that was."""

    name: str
    pid: int
    at: float


@dataclass(frozen=True, slots=True)
class Accounting:
    """What became of all that was sent."""

    sent: frozenset[str]
    done: frozenset[str]
    dead: int
    interrupted: frozenset[str]
    """Ran twice: their handlers ran in the worker when it was killed."""
    unsettled: frozenset[str]
    """Ran twice: their handlers had returned there, and Redis had not been told yet."""
    unexplained: frozenset[str]
    """Ran twice for another reason."""
    again: tuple[float, ...] = ()
    """Seconds from the kill until each of the first two kinds ran again."""

    @property
    def duplicates(self) -> int:
        """What ran twice."""
        return len(self.interrupted | self.unsettled | self.unexplained)

    @property
    def lost(self) -> int:
        """What was sent, and is neither done nor dead."""
        return max(0, len(self.sent - self.done) - self.dead)

    @property
    def adds_up(self) -> bool:
        """All that was sent is done, and what ran twice has its reason."""
        return self.sent == self.done and not self.dead and not self.unexplained


def account(sent: Iterable[str], lines: Iterable[Line], dead: int, killed: KilledWorker | None) -> Accounting:
    """From what was sent and what handlers did."""
    by_message: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        by_message[line.message].append(line)
    interrupted, unsettled, unexplained, again = set[str](), set[str](), set[str](), list[float]()
    for message, told in by_message.items():
        begins = sorted((line for line in told if line.what == STARTED), key=lambda line: line.at)
        if len(begins) == 1:
            continue
        first, second = begins[:2]
        if killed is None or first.pid != killed.pid or len(begins) > 2:  # noqa: PLR2004 - more than twice
            unexplained.add(message)
            continue
        returned = any(line.what == FINISHED and line.pid == killed.pid for line in told)
        (unsettled if returned else interrupted).add(message)
        again.append(second.at - killed.at)
    done = frozenset(message for message, told in by_message.items() if any(line.what == FINISHED for line in told))
    return Accounting(
        frozenset(sent), done, dead, frozenset(interrupted), frozenset(unsettled), frozenset(unexplained), tuple(again)
    )
