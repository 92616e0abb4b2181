"""The record of a job's last run, for the next run and for people."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from pydantic_core import from_json, to_json

STOPPED = "stopped"
"""The outcome of a run that was cancelled because its pod drained."""
LOST = "lost"
"""The outcome of a run whose pod was lost, or had lost its lease."""

WRITTEN = '{"due":%d,"acquired":%.3f,"ended":%.3f,"outcome":%s,"class":%s,"streak":%d,"next":%d,"fence":%d,"life":%s}'
"""Formatted by hand: a JSON serializer would take a fifth of the time that a run may cost."""


class RunRecord(NamedTuple):
    """Times are in Redis time, in seconds."""

    due: int
    """The second for which it ran; a retry keeps the second of the run that failed."""
    acquired: float
    ended: float
    outcome: str
    class_: str
    """The failure class; `-` if none matched, empty without a failure."""
    streak: int
    """Failures in a row, including this one."""
    next: int
    """When the job is due again."""
    fence: int
    consumer: str
    """The consumer that ran it. In Redis this field is called `life`."""

    def was_begun(self, due: int) -> bool:
        """Whether a run that is due at this second repeats this one, which came to no end."""
        return self.outcome in (STOPPED, LOST) and self.next == due

    def write(self) -> bytes:
        """The record as JSON."""
        due, acquired, ended, outcome, class_, streak, next_, fence, consumer = self
        told = (due, acquired, ended, _quoted(outcome), _quoted(class_), streak, next_, fence, _quoted(consumer))
        return (WRITTEN % told).encode()

    @classmethod
    def read(cls, raw: bytes | None) -> RunRecord | None:
        """None if there is no record, or an invalid one."""
        if not raw:
            return None
        try:
            told: dict[str, Any] = from_json(raw)
            return cls(
                int(told["due"]),
                float(told["acquired"]),
                float(told["ended"]),
                str(told["outcome"]),
                str(told["class"]),
                int(told["streak"]),
                int(told["next"]),
                int(told["fence"]),
                str(told["life"]),
            )
        except (ValueError, TypeError, KeyError, AttributeError):
            return None


@lru_cache(maxsize=1000)
def _quoted(word: str) -> str:
    """Quote a consumer, an outcome or a class; there are few of them."""
    return to_json(word).decode()
