"""The subject of log lines.

A worker sets the message of a task in a context variable. All lines that are logged in that task, by any logger, are
about that message. Fields are computed only when a line is written, so messages without lines pay nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Protocol


class Subject(Protocol):
    """Something that lines are about, such as a message."""

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


def free(name: str, taken: Mapping[str, object]) -> str:
    """The name, with underscores appended while it is taken."""
    while name in taken:
        name += "_"
    return name


ABOUT: ContextVar[Subject | None] = ContextVar("penstock_about", default=None)
"""Set in the task of a message. Threads that run handlers get a copy of the context."""
