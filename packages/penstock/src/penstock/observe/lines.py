"""Formats log records as lines: JSON for machines, text for people.

Fields have fixed names; if a message or handler uses such a name, its field gets an underscore appended. Values are cut
at 256 characters. No line can move a cursor or start another line.
"""

from __future__ import annotations

import json
import logging
import math
import os
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from penstock.observe.events import Event
from penstock.observe.subject import SUBJECT, Subject, free
from penstock.observe.traces import current
from penstock_spec.report.safe import safe

LONGEST_VALUE = 256
LONGEST_TEXT = 8000
"""Characters of a message, or of the end of a traceback; container logs cut lines at 16 KiB."""
LARGEST = 2**63

SUBJECT_KEY, EVENT_KEY, FIELDS_KEY = "penstock_about", "penstock_event", "penstock_fields"
"""Attributes that Penstock's loggers add to a record."""
PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "taskName",
    SUBJECT_KEY,
    EVENT_KEY,
    FIELDS_KEY,
}
"""Attributes of every record; others come from a handler's `extra`."""


@dataclass(slots=True)
class Process:
    """The process that logs. Its consumer changes when a lease is lost."""

    name: str = ""
    consumer: str = ""
    host: str = field(default_factory=socket.gethostname)
    pid: int = field(default_factory=os.getpid)
    kind: str = "pipeline"
    """The kind of the spec: also the name of the field that holds the spec's name."""


class JsonLines(logging.Formatter):
    """One JSON object per line."""

    def __init__(self, process: Process) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        """One line. Characters beyond ASCII are escaped, so no terminal interprets them."""
        line: dict[str, object] = {
            "timestamp": timestamp(record.created),
            "level": record.levelname,
            "message": _text(record),
        }
        if event := event_of(record):
            line["event"] = event
        line |= {"logger": record.name, "host": self._process.host, "pid": self._process.pid}
        names = ((self._process.kind, self._process.name), ("consumer", self._process.consumer))
        line |= {name: value for name, value in names if value}
        for name, value in fields(record):
            json_value = shown(value)
            # A value that the line already has, such as the consumer, is not repeated.
            if name not in line or line[name] != json_value:
                line[free(name, line)] = json_value
        if trouble := _exception(record):
            line[free("exception", line)] = trouble
        return json.dumps(line)


class TextLines(logging.Formatter):
    """Time, level, message, event and fields; a traceback follows below."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, or several with a traceback."""
        pairs = " ".join(f"{safe(name)}={safe(_words(shown(value)))}" for name, value in fields(record))
        if event := event_of(record):
            pairs = f"event={event} {pairs}".rstrip()
        clock = time.strftime("%H:%M:%S", time.localtime(record.created))
        text = f"{clock}.{int(record.msecs):03d} {record.levelname:<8}{safe(_text(record))}"
        lines = [f"{text}  {pairs}" if pairs else text, *map(safe, _exception(record).splitlines())]
        return "\n".join(lines)


def event_of(record: logging.LogRecord) -> str:
    """The event of one of Penstock's own lines; empty for others."""
    event: Event | None = getattr(record, EVENT_KEY, None)
    return "" if event is None else event.value


def fields(record: logging.LogRecord) -> Iterator[tuple[str, object]]:
    """Fields of the line's subject, its trace, then its own. Only Penstock's events may be named `event`."""
    return ((f"{name}_" if name == "event" else name, value) for name, value in _fields(record))


def _fields(record: logging.LogRecord) -> Iterator[tuple[str, object]]:
    subject: Subject | None = getattr(record, SUBJECT_KEY, None) or SUBJECT.get()
    own = {} if subject is None else _of(subject)
    yield from own.items()
    trace = current()
    if trace is not None and "trace_id" not in own:
        yield "trace_id", trace.trace_id
        yield "span_id", trace.span_id
    yield from getattr(record, FIELDS_KEY, {}).items()
    yield from ((name, value) for name, value in vars(record).items() if name not in PLAIN)


def _of(subject: Subject) -> Mapping[str, object]:
    try:
        return subject.log_fields()
    except Exception as error:  # noqa: BLE001 - a line without its fields is better than no line
        return {"log_fields_error": type(error).__name__}


def shown(value: object) -> object:
    """A JSON value of bounded size, whatever the value's class does."""
    if value is None or isinstance(value, bool):
        return value
    try:
        if isinstance(value, int) and -LARGEST <= value < LARGEST:
            return int(value)
        if isinstance(value, float) and math.isfinite(value):
            return float(value)
        text = str(value)
    except Exception:  # noqa: BLE001 - a class of the team or a library, or a number with more digits than Python writes
        text = f"<{type(value).__name__}>"
    return _cut(text, LONGEST_VALUE)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def timestamp(seconds: float) -> str:
    """RFC 3339, in UTC, to the millisecond."""
    full, thousandths = divmod(int(seconds * 1000), 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(full))}.{thousandths:03d}Z"


def _text(record: logging.LogRecord) -> str:
    try:
        text = record.getMessage()
    except Exception:  # noqa: BLE001 - arguments that do not fit; the unformatted message is still useful
        text = str(record.msg)
    return _cut(text, LONGEST_TEXT)


def _exception(record: logging.LogRecord) -> str:
    if not record.exc_info or record.exc_info[1] is None:
        return ""
    try:
        text = logging.Formatter().formatException(record.exc_info)
    except Exception as error:  # noqa: BLE001 - an exception whose own __str__ fails
        text = f"<{type(error).__name__} while formatting the traceback>"
    return text if len(text) <= LONGEST_TEXT else f"...{text[3 - LONGEST_TEXT :]}"


def _words(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return json.dumps(text, ensure_ascii=False) if not text or " " in text or "=" in text else text
