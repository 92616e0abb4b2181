"""How the last run of a job went: what the next one is told, and what people ask for."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from pydantic_core import from_json, to_json

STOPPED = "stopped"
"""The outcome of a run whose pod left, and handed its job back."""
LOST = "lost"
"""Of one whose pod was lost, or had lost its lease."""

WRITTEN = '{"due":%d,"acquired":%.3f,"ended":%.3f,"outcome":%s,"class":%s,"streak":%d,"next":%d,"fence":%d,"life":%s}'
"""By hand, as it is written for each run: a fifth of the time that a scheduler has for one would go into it else."""


class RunRecord(NamedTuple):
    """Times are Redis's, in seconds."""

    due: int
    """For which second it ran; a run that makes up for a failed one keeps that of the first."""
    acquired: float
    ended: float
    outcome: str
    class_: str
    """Of the failure; `-` where none matched, empty where nothing failed."""
    streak: int
    """Failures in a row, this one among them."""
    next: int
    """When it is due again."""
    fence: int
    consumer: str
    """Which pod ran it."""

    def was_begun(self, due: int) -> bool:
        """Whether what is due then is the same run again, which came to no end."""
        return self.outcome in (STOPPED, LOST) and self.next == due

    def write(self) -> bytes:
        """As it stands in Redis."""
        due, acquired, ended, outcome, class_, streak, next_, fence, consumer = self
        told = (due, acquired, ended, _quoted(outcome), _quoted(class_), streak, next_, fence, _quoted(consumer))
        return (WRITTEN % told).encode()

    @classmethod
    def read(cls, raw: bytes | None) -> RunRecord | None:
        """None where there is none, or where it is none that we have written."""
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
    """They are few: the pod's consumer, outcomes and classes."""
    return to_json(word).decode()
