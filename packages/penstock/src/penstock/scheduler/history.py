"""One line of a job's history: a run that ended. People read it; no run depends on it.

As in the log, an error is its type and its place in the team's code, without its text, which may quote data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic_core import from_json, to_json

LONGEST = 200
"""Characters of an error's type and place, so that a history stays small."""


class PastRun(NamedTuple):
    """One run. Times are seconds of Redis time."""

    ended: float
    due: int
    """The second at which the run was due; a retry keeps the second of the run that failed."""
    started: float
    outcome: str
    attempt: int
    """1, plus the failures in a row before it."""
    class_: str
    """The failure class; `-` if none matched, empty without a failure."""
    error: str
    """The type of the exception; empty without one."""
    at: str
    """Its place in the team's code."""
    consumer: str

    def write(self) -> bytes:
        """The run as a JSON array on one line."""
        ended, due, started, outcome, attempt, class_, error, at, consumer = self
        words = to_json((outcome, attempt, class_, error[:LONGEST], at[-LONGEST:], consumer))
        return b"[%.3f,%d,%.3f,%b" % (ended, due, started, words[1:])

    @classmethod
    def read(cls, history: bytes | None) -> Iterator[PastRun]:
        """The runs in a history, newest first. Lines of other versions are skipped."""
        for line in (history or b"").split(b"\n"):
            try:
                values: list[Any] = from_json(line)
                ended, due, started, outcome, attempt, class_, error, at, consumer, *_ = values
                yield cls(
                    float(ended),
                    int(due),
                    float(started),
                    str(outcome),
                    int(attempt),
                    str(class_),
                    str(error),
                    str(at),
                    str(consumer),
                )
            except (ValueError, TypeError):
                continue

    def as_json(self) -> dict[str, object]:
        """Name and value of each field of `--json`."""
        return {
            "ended": self.ended,
            "due": self.due,
            "started": self.started,
            "outcome": self.outcome,
            "attempt": self.attempt,
            "class": self.class_ or None,
            "error": self.error or None,
            "at": self.at or None,
            "consumer": self.consumer,
        }
