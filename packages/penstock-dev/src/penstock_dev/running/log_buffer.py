"""What was said, by processes and by us, as lines in one order."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from penstock_dev.snapshot import Level, LogLine

KEPT = 500
SURROUNDINGS = frozenset({
    "timestamp", "level", "message", "logger", "host", "pid", "pipeline", "scheduler", "consumer", "exception",
    "worker",
})  # fmt: skip
"""Fields of a line that say nothing new beside its worker's name."""
LEVELS = {"DEBUG": Level.DEBUG, "INFO": Level.INFO, "WARNING": Level.WARNING}


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """A line of a worker's log, taken apart."""

    level: Level
    message: str
    fields: dict[str, object] = field(default_factory=dict)
    is_log: bool = True
    """False for what was printed."""

    @property
    def text(self) -> str:
        """In a line."""
        shown = [f"{name}={value}" for name, value in self.fields.items() if name not in SURROUNDINGS]
        return "  ".join((self.message, *shown))


def read(line: bytes) -> ParsedLine:
    """What a process said: a line of its log, or anything else that it or its handler has printed."""
    text = line.decode(errors="replace")
    if text.startswith("{"):
        try:
            told = json.loads(text)
        except ValueError:
            told = None
        if isinstance(told, dict) and isinstance(told.get("message"), str):
            level = LEVELS.get(str(told.get("level")), Level.ERROR)
            return ParsedLine(level, told["message"], told)
    level = Level.ERROR if text.startswith("error:") else Level.INFO
    return ParsedLine(level, text, is_log=False)


class LogBuffer:
    """The last lines."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lines: deque[LogLine] = deque(maxlen=KEPT)
        self._count = 0

    @property
    def lines(self) -> tuple[LogLine, ...]:
        """Oldest first."""
        return tuple(self._lines)

    def since(self, number: int) -> list[LogLine]:
        """Those after this one, as far as they are kept."""
        found = []
        for line in reversed(self._lines):
            if line.number <= number:
                break
            found.append(line)
        return found[::-1]

    def write(self, text: str, *, level: Level = Level.INFO, spec: str = "", worker: str = "") -> None:
        """One more line."""
        self._count += 1
        self._lines.append(LogLine(self._count, self._clock(), level, text, spec, worker))
