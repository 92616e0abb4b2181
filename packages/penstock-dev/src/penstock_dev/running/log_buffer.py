"""A buffer of recent log lines, from processes and from `penstock dev` itself."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from penstock_dev.snapshot import Level, LogLine

MAX_LINES = 500
HIDDEN_FIELDS = frozenset({
    "timestamp", "level", "message", "event", "logger", "host", "pid", "pipeline", "scheduler", "consumer", "exception",
    "worker",
})  # fmt: skip
"""Log fields that the worker's name already contains, or that are too long for a line."""
LEVELS = {"DEBUG": Level.DEBUG, "INFO": Level.INFO, "WARNING": Level.WARNING}


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """One line of a process's output."""

    level: Level
    message: str
    fields: dict[str, object] = field(default_factory=dict)
    is_log: bool = True
    """False for printed text."""

    @property
    def event(self) -> str:
        """The event of a log line of Penstock; empty for other lines."""
        return str(self.fields.get("event", ""))

    @property
    def text(self) -> str:
        """The message and its fields on one line."""
        shown = [f"{name}={value}" for name, value in self.fields.items() if name not in HIDDEN_FIELDS]
        return "  ".join((self.message, *shown))


def parse_line(line: bytes) -> ParsedLine:
    """Parse a line of JSON log; anything else is kept as printed text."""
    text = line.decode(errors="replace")
    if text.startswith("{"):
        try:
            record = json.loads(text)
        except ValueError:
            record = None
        if isinstance(record, dict) and isinstance(record.get("message"), str):
            level = LEVELS.get(str(record.get("level")), Level.ERROR)
            return ParsedLine(level, record["message"], record)
    level = Level.ERROR if text.startswith("error:") else Level.INFO
    return ParsedLine(level, text, is_log=False)


class LogBuffer:
    """Keeps the last lines."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lines: deque[LogLine] = deque(maxlen=MAX_LINES)
        self._count = 0

    @property
    def lines(self) -> tuple[LogLine, ...]:
        """All kept lines, oldest first."""
        return tuple(self._lines)

    def since(self, number: int) -> list[LogLine]:
        """The kept lines after this number."""
        newer = []
        for line in reversed(self._lines):
            if line.number <= number:
                break
            newer.append(line)
        return newer[::-1]

    def write(self, text: str, *, level: Level = Level.INFO, spec: str = "", worker: str = "") -> None:
        """Append a line."""
        self._count += 1
        self._lines.append(LogLine(self._count, self._clock(), level, text, spec, worker))
