"""Make docs/reference/events.md: the meaning of each log event, its fields, and the roles that log it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from penstock.observe.event_lines import TOPICS
from penstock.observe.event_lines.define import SUBJECT_FIELDS, EventLine
from penstock.observe.events import Activity, Event
from penstock_spec.reference.table import table

PAGE = "docs/reference/events.md"
OPENING = """\
# Log events

Each line that Penstock itself logs has an `event` from this closed list. Match on `event`, never on the message:
messages may change with any version; events and their fields are part of the interface. Lines of handlers and
libraries have none.

`--log-format json` writes one JSON object per line: `timestamp`, `level`, `message`, `event`, `logger`, `host`, `pid`,
the spec's name under its kind (`pipeline` or `scheduler`), `consumer` once there is one, then the fields below.
`--log-format text` writes the time, the level, the message, `event=...` and the fields. A program that sends finds
the event of a record in `record.penstock_event`, and its fields in `record.penstock_fields`. A field without a value
is left out.

`LOG_LEVEL` sets the lowest level that is logged, INFO by default. `LOG_LEVEL=DEBUG` adds the start and the end of each
message and job, and each round of the janitor. These are many lines: use it for one pod, and for a short time.
"""
FIELD = ("field", "meaning")
HEAD = ("event", "level", "message", "fields", "logged by")
ACTIVITIES = "## Activities\n\nValues of the field `activity`.\n"


def pages(_root: Path) -> dict[str, str]:
    """By path."""
    parts = [OPENING]
    for subject, fields in SUBJECT_FIELDS.items():
        more = "the fields of `message.log_fields` and " if subject == "message" else ""
        parts += [f"A line about a {subject} also has {more}these:\n", _fields(fields)]
    for topic in TOPICS:
        rows = [_row(event, line) for event, line in topic.lines.items()]
        parts += [f"## {topic.title}\n", table(HEAD, rows)]
    parts += [ACTIVITIES, "\n".join(f"- `{one}`" for one in Activity) + "\n"]
    return {PAGE: "\n".join(parts)}


def _row(event: Event, line: EventLine) -> tuple[str, ...]:
    about = [f"those of a {line.subject}"] if line.subject else []
    fields = [*about, *(f"`{name}`, {meaning}" for name, meaning in line.fields.items())]
    return (
        f"`{event}`",
        logging.getLevelName(line.level),
        line.message,
        "; ".join(fields) or "-",
        ", ".join(sorted(line.roles)),
    )


def _fields(fields: Mapping[str, str]) -> str:
    return table(FIELD, [(f"`{name}`", meaning) for name, meaning in fields.items()])
