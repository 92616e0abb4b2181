"""The line of an event as a value, and the fields that lines share."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from penstock.observe.events import Event
from penstock_spec.metrics import Role

Subject = Literal["message", "job"]


@dataclass(frozen=True, slots=True)
class EventLine:
    """The line of one event."""

    level: int
    message: str
    """English for people; `{name}` stands for the value of a field."""
    roles: tuple[Role, ...]
    subject: Subject | None = None
    """What the line is about. It also has the fields of `SUBJECT_FIELDS`."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Each field with its meaning."""


@dataclass(frozen=True, slots=True)
class Topic:
    """Events that belong together."""

    title: str
    lines: Mapping[Event, EventLine]


def _line(level: int, message: str, *roles: Role, subject: Subject | None = None, **fields: str) -> EventLine:
    return EventLine(level, message, roles, subject, fields)


debug = partial(_line, logging.DEBUG)
info = partial(_line, logging.INFO)
warning = partial(_line, logging.WARNING)
error = partial(_line, logging.ERROR)

PODS: tuple[Role, ...] = ("worker", "janitor", "scheduler")
TYPE = "the type of the exception"
AT = "file and line in the team's code, if any"
SECONDS = "how long that took"
PIPELINE = "the pipeline's name, if the process serves several"

SUBJECT_FIELDS: Mapping[Subject, Mapping[str, str]] = {
    "message": {
        "message_id": "the message's own id, or the entry's if its sender gave none",
        "attempt": "the number of this attempt, from 1",
        "correlation": "the value of the field that `message.correlate` names, if any",
    },
    "job": {
        "job": "the job's name",
        "attempt": "1, and one more for each failure in a row",
        "fence": "the run's fencing token, a number that grows with each run",
    },
}
"""Fields of each line about a message or a job. A message's line has the fields of `message.log_fields` as well."""
