"""The subject of log lines.

A worker sets the message of a task in a context variable. Each line that any logger writes in that task carries the
fields of that message. They are computed only when a line is written, so messages without lines cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Protocol


class Subject(Protocol):
    """A message or a run of a job, which log lines are about."""

    def log_fields(self) -> Mapping[str, object]:
        """Fields of each line; for a message `message_id`, `attempt`, `correlation` and `message.log_fields`."""
        ...


def fields_of_message(
    message_id: str, attempt: int, correlation: str | None, chosen: Mapping[str, object]
) -> dict[str, object]:
    """The fields of each line about a message; `chosen` are those of `message.log_fields`."""
    own: dict[str, object] = {"message_id": message_id, "attempt": attempt}
    if correlation is not None:
        own["correlation"] = correlation
    return own | {free(name, own): value for name, value in chosen.items()}


def free(name: str, used: Mapping[str, object]) -> str:
    """The name, with underscores appended until it is free."""
    while name in used:
        name += "_"
    return name


SUBJECT: ContextVar[Subject | None] = ContextVar("penstock_about", default=None)
"""Set in the task of a message. Threads that run handlers get a copy of the context."""
