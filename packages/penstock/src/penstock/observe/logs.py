"""The log of a process: lines on stderr, set up once by the command, and loggers that take fields.

    log.info("clustering", images=3)      ->      {"timestamp": "...", "message": "clustering", "images": 3, ...}

A line has the fields of its call and those of the message that it is about (see `about`). The runtime's own lines are
events (see `event_lines`); they name the type and the place of an exception, never its text (see `failures`).
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping
from typing import Any, Literal

from penstock.observe.about import Subject
from penstock.observe.event_lines import EVENT_LINES
from penstock.observe.events import Event
from penstock.observe.failures import failure
from penstock.observe.lines import ABOUT_KEY, EVENT_KEY, FIELDS_KEY, JsonLines, Process, TextLines
from penstock_spec.findings import CannotGoOn

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
STDERR = 2


class Lines(logging.Handler):
    """Writes to a file descriptor, and gives up without a word where nobody reads: a log is no reason to die.

    Python's own streams keep what they could not write, and fail with it once more when the process ends: its exit code
    would be 120 instead of 0.
    """

    def __init__(self, descriptor: int = STDERR) -> None:
        super().__init__()
        self._descriptor = descriptor

    def emit(self, record: logging.LogRecord) -> None:
        """One line in one write, so that the lines of several processes do not mix."""
        try:
            rest = memoryview(f"{self.format(record)}\n".encode(errors="backslashreplace"))
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except Exception:  # noqa: BLE001, S110 - see above; and logging, where this would be told, is what failed
            pass


class Log:
    """A logger that takes fields. With a subject its lines are about that, wherever they are written.

    `package` is the team's, for the places of failures.
    """

    __slots__ = ("_about", "_logger", "_package")

    def __init__(self, logger: logging.Logger, about: Subject | None = None, *, package: str = "") -> None:
        self._logger = logger
        self._about = about
        self._package = package

    def debug(self, message: str, /, **fields: object) -> None:
        """For who looks for a fault."""
        self._write(logging.DEBUG, message, fields)

    def info(self, message: str, /, **fields: object) -> None:
        """What happened."""
        self._write(logging.INFO, message, fields)

    def warning(self, message: str, /, **fields: object) -> None:
        """What should not be so, and is taken care of."""
        self._write(logging.WARNING, message, fields)

    def error(self, message: str, /, **fields: object) -> None:
        """What somebody has to look at."""
        self._write(logging.ERROR, message, fields)

    def exception(self, message: str, /, **fields: object) -> None:
        """An error with the traceback, and so with the text, of the exception that is being handled."""
        self._write(logging.ERROR, message, fields, exc_info=True)

    def about(self, about: Subject | None) -> Log:
        """The same for another subject."""
        return Log(self._logger, about, package=self._package)

    def event(self, event: Event, cause: BaseException | None = None, /, **fields: object) -> None:
        """A line of the runtime itself, see `event_lines`; `cause` adds the type and the place of an exception."""
        line = EVENT_LINES[event]
        if self._logger.isEnabledFor(line.level):
            fields = {name: value for name, value in fields.items() if value is not None}
            if cause is not None:
                what = failure(cause, self._package)
                fields = {"error": what.error, "at": what.at, **fields}
            said = line.message.format_map(fields) if "{" in line.message else line.message
            self._write(line.level, said, fields, event)

    def _write(
        self,
        level: int,
        message: str,
        fields: Mapping[str, object],
        event: Event | None = None,
        **more: Any,  # noqa: ANN401 - logging's
    ) -> None:
        if self._logger.isEnabledFor(level):
            extra = {ABOUT_KEY: self._about, EVENT_KEY: event, FIELDS_KEY: fields}
            self._logger.log(level, message, extra=extra, **more)


def set_up(process: Process, *, format_: Literal["json", "text"], level: int, descriptor: int = STDERR) -> None:
    """From now on every logger of this process writes such lines, and nothing else writes any."""
    lines = Lines(descriptor)
    lines.setFormatter(JsonLines(process) if format_ == "json" else TextLines())
    root = logging.getLogger()
    for handler in root.handlers[:]:
        root.removeHandler(handler)
    root.addHandler(lines)
    root.setLevel(level)
    logging.captureWarnings(capture=True)


def level_of(environ: Mapping[str, str]) -> int:
    """What `LOG_LEVEL` asks for; INFO when it says nothing."""
    said = environ.get("LOG_LEVEL", "") or "INFO"
    if said.upper() not in LEVELS:
        raise CannotGoOn(f"`LOG_LEVEL` is `{said}`, which is no level", f"one of {', '.join(LEVELS)}")
    return logging.getLevelNamesMapping()[said.upper()]


def loop_trouble(_loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
    """A loop's exception handler: what nobody caught, without its text."""
    log = Log(logging.getLogger("penstock.loop"))
    # Of a callback asyncio tells the arguments.
    detail = "an exception in a callback" if "handle" in context else str(context["message"])
    error = context.get("exception")
    log.event(Event.LOOP_EXCEPTION, error if isinstance(error, BaseException) else None, detail=detail)
