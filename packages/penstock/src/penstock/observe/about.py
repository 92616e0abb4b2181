"""What a line of the log is about.

The worker says once, in a context variable, which message a task runs; whatever logs in there, the handler's own
`logging.getLogger(__name__)` too, is about that message. Saying it is all that a message pays: what the fields are is
asked when a line is written, and most handlers write none.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Protocol


class Subject(Protocol):
    """What knows the fields of its lines, such as a delivery."""

    def log_fields(self) -> Mapping[str, object]:
        """The fields, of a message: `message_id`, `attempt`, `correlation` and those of `message.log_fields`."""
        ...


def fields_of_message(
    message_id: str, attempt: int, correlation: str | None, chosen: Mapping[str, object]
) -> dict[str, object]:
    """The fields of a message, under the names that they have in every line; `chosen` are those of its body."""
    own: dict[str, object] = {"message_id": message_id, "attempt": attempt}
    if correlation is not None:
        own["correlation"] = correlation
    return own | {free(name, own): value for name, value in chosen.items()}


def free(name: str, taken: Mapping[str, object]) -> str:
    """The name, or where it is taken, with underscores behind it."""
    while name in taken:
        name += "_"
    return name


ABOUT: ContextVar[Subject | None] = ContextVar("penstock_about", default=None)
"""Set in the task of a message; a thread that runs a handler gets it with a copy of the context."""
