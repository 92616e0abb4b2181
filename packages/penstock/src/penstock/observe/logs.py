"""The log of a process: lines on stderr, and loggers that take fields.

    log.info("clustering", images=3)      ->      {"timestamp": "...", "message": "clustering", "images": 3, ...}

A line has the fields of its call and those of its subject, such as a message (see `subject`). The runtime's lines are
events (see `event_lines`); they name the type and the place of an exception, never its text (see `failures`).
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping
from typing import Any, Literal

from penstock.observe.event_lines import EVENT_LINES
from penstock.observe.events import Event
from penstock.observe.failures import failure
from penstock.observe.lines import EVENT_KEY, FIELDS_KEY, SUBJECT_KEY, JsonLines, Process, TextLines
from penstock.observe.subject import Subject
from penstock_spec.findings import CannotGoOn

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
STDERR = 2


class Lines(logging.Handler):
    """Writes to a file descriptor, and ignores errors: a broken log must not end the process.

    Python's own streams keep unwritten data and fail again at exit, which changes the exit code from 0 to 120.
    """

    def __init__(self, descriptor: int = STDERR) -> None:
        super().__init__()
        self._descriptor = descriptor

    def emit(self, record: logging.LogRecord) -> None:
        """Write each line at once, so that lines of several processes do not mix."""
        try:
            rest = memoryview(f"{self.format(record)}\n".encode(errors="backslashreplace"))
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except Exception:  # noqa: BLE001, S110 - see above; logging itself failed, so this cannot be logged
            pass


class Log:
    """A logger that takes fields. Lines of a logger with a subject carry the subject's fields.

    `package` is the team's top-level package: the places of failures are in it.
    """

    __slots__ = ("_logger", "_package", "_subject")

    def __init__(self, logger: logging.Logger, subject: Subject | None = None, *, package: str = "") -> None:
        self._logger = logger
        self._subject = subject
        self._package = package

    def debug(self, message: str, /, **fields: object) -> None:
        """Log a detail for debugging."""
        self._write(logging.DEBUG, message, fields)

    def info(self, message: str, /, **fields: object) -> None:
        """Log what happened."""
        self._write(logging.INFO, message, fields)

    def warning(self, message: str, /, **fields: object) -> None:
        """Log a problem that is handled automatically."""
        self._write(logging.WARNING, message, fields)

    def error(self, message: str, /, **fields: object) -> None:
        """Log a problem that needs attention."""
        self._write(logging.ERROR, message, fields)

    def exception(self, message: str, /, **fields: object) -> None:
        """Log an error with the traceback and text of the current exception."""
        self._write(logging.ERROR, message, fields, exc_info=True)

    def with_subject(self, subject: Subject | None) -> Log:
        """A logger with another subject."""
        return Log(self._logger, subject, package=self._package)

    def event(self, event: Event, cause: BaseException | None = None, /, **fields: object) -> None:
        """Log an event of the runtime, see `event_lines`. `cause` adds `error` and `at`."""
        line = EVENT_LINES[event]
        if self._logger.isEnabledFor(line.level):
            fields = {name: value for name, value in fields.items() if value is not None}
            if cause is not None:
                described = failure(cause, self._package)
                fields = {"error": described.error, "at": described.at, **fields}
            message = line.message.format_map(fields) if "{" in line.message else line.message
            self._write(line.level, message, fields, event)

    def _write(
        self,
        level: int,
        message: str,
        fields: Mapping[str, object],
        event: Event | None = None,
        **more: Any,  # noqa: ANN401 - logging's
    ) -> None:
        if self._logger.isEnabledFor(level):
            extra = {SUBJECT_KEY: self._subject, EVENT_KEY: event, FIELDS_KEY: fields}
            self._logger.log(level, message, extra=extra, **more)


def set_up(process: Process, *, format_: Literal["json", "text"], level: int, descriptor: int = STDERR) -> None:
    """Make all loggers of this process write such lines, and nothing else."""
    lines = Lines(descriptor)
    lines.setFormatter(JsonLines(process) if format_ == "json" else TextLines())
    root = logging.getLogger()
    for handler in root.handlers[:]:
        root.removeHandler(handler)
    root.addHandler(lines)
    root.setLevel(level)
    logging.getLogger("asyncio").setLevel(max(level, logging.INFO))  # below, it logs which selector it uses
    logging.captureWarnings(capture=True)


def level_of(environ: Mapping[str, str]) -> int:
    """The level that `LOG_LEVEL` names; by default INFO."""
    level = environ.get("LOG_LEVEL", "") or "INFO"
    if level.upper() not in LEVELS:
        raise CannotGoOn(f"`LOG_LEVEL` is `{level}`, which is not a level", f"one of {', '.join(LEVELS)}")
    return logging.getLevelNamesMapping()[level.upper()]


def loop_trouble(_loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
    """The exception handler of event loops: logs uncaught exceptions without their text."""
    log = Log(logging.getLogger("penstock.loop"))
    # For a callback, asyncio's message contains the arguments, which may quote a body.
    detail = "an exception in a callback" if "handle" in context else str(context["message"])
    error = context.get("exception")
    log.event(Event.LOOP_EXCEPTION, error if isinstance(error, BaseException) else None, detail=detail)
