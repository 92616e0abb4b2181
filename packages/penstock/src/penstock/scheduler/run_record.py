"""The record of a job's last run, used by the next run and shown to people."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from pydantic_core import from_json, to_json

STOPPED = "stopped"
"""The outcome of a run that was cancelled because its pod drained."""
REPLACED = "replaced"
"""The outcome of a run that was cancelled because the job was due again."""
LOST = "lost"
"""The outcome of a run whose pod was lost, or had lost its lease; the class of a run that was lost with its pod."""
SUSPECT = 2
"""Lost runs in a row after which a pod runs the job beside no other such job: one of them may crash it."""
UNJUDGED = (STOPPED, LOST, REPLACED)
"""Outcomes of runs that a pod cut short. They neither count as failures nor end a series of them."""

FORMAT = (
    '{"due":%d,"acquired":%.3f,"ended":%.3f,"outcome":%s,"class":%s,"streak":%d,"next":%d,"fence":%d,"life":%s,'
    '"lost":%d}'
)
"""Formatted by hand: a JSON serializer would need a fifth of the time budget of a run."""


class RunRecord(NamedTuple):
    """One run. Times are seconds of Redis time."""

    due: int
    """The second at which the run was due; a retry keeps the second of the run that failed."""
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
    lost: int = 0
    """Runs in a row that were lost with their pods, including this one. Older versions do not write it."""

    def was_begun(self, due: int) -> bool:
        """Whether a run that is due at this second repeats this one, which did not finish."""
        return self.outcome in (STOPPED, LOST) and self.next == due

    @property
    def is_suspect(self) -> bool:
        """Whether the job may be what crashes its pods."""
        return self.lost >= SUSPECT

    def write(self) -> bytes:
        """The record as JSON."""
        due, acquired, ended, outcome, class_, streak, next_, fence, consumer, lost = self
        words = _quoted(outcome), _quoted(class_)
        values = (due, acquired, ended, *words, streak, next_, fence, _quoted(consumer), lost)
        return (FORMAT % values).encode()

    @classmethod
    def read(cls, record: bytes | None) -> RunRecord | None:
        """Parse a record; None if it is missing or invalid."""
        if not record:
            return None
        try:
            values: dict[str, Any] = from_json(record)
            return cls(
                int(values["due"]),
                float(values["acquired"]),
                float(values["ended"]),
                str(values["outcome"]),
                str(values["class"]),
                int(values["streak"]),
                int(values["next"]),
                int(values["fence"]),
                str(values["life"]),
                int(values.get("lost", 0)),
            )
        except (ValueError, TypeError, KeyError, AttributeError):
            return None


@lru_cache(maxsize=1000)
def _quoted(word: str) -> str:
    """Quote a consumer, an outcome or a class; there are few of them."""
    return to_json(word).decode()
