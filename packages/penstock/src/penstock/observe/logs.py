"""The log of a process: lines on stderr, set up once by the command, and loggers that take fields.

    log.info("clustering", images=3)      ->      {"timestamp": "...", "message": "clustering", "images": 3, ...}

Only what a call says and what a line is about (see `about`) is in it. The runtime's own lines about failures say type
and place, never the exception's text: see `failures`.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping
from typing import Any, Literal

from penstock.observe.about import Subject, free
from penstock.observe.failures import failure
from penstock.observe.lines import ABOUT_KEY, FIELDS_KEY, JsonLines, Process, TextLines
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

    def failure(self, message: str, error: BaseException, /, **fields: object) -> None:
        """A warning with the type and the place of an exception, and without its text."""
        if self._logger.isEnabledFor(logging.WARNING):
            what = failure(error, self._package)
            told: dict[str, object] = {"error": what.error, "at": what.at}
            self._write(logging.WARNING, message, told | {free(name, told): value for name, value in fields.items()})

    def _write(self, level: int, message: str, fields: Mapping[str, object], **more: Any) -> None:  # noqa: ANN401 - logging's
        if self._logger.isEnabledFor(level):
            self._logger.log(level, message, extra={ABOUT_KEY: self._about, FIELDS_KEY: fields}, **more)


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
    says = "an exception in a callback" if "handle" in context else str(context["message"])
    error = context.get("exception")
    if isinstance(error, BaseException):
        log.failure(says, error)
    else:
        log.warning(says)
