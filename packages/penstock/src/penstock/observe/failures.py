"""Describes exceptions for the log: the type, and the place in the team's code, without the text.

The text of an exception often quotes a body: `KeyError: 'jane@example.org'`, `invalid literal: '4111 1111 ...'`. Only
`message.log_fields` of a body may be logged. So Penstock's own lines name type and place. The text goes to the dead
letter, which only people who may see bodies read. A handler that logs an exception itself decides what it shows.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import PurePath
from types import FrameType, TracebackType

PENSTOCK = __name__.partition(".")[0]
_PASS_ON = frozenset({PENSTOCK, "asyncio", "concurrent", "threading", "importlib", "_frozen_importlib"})
"""Packages that only pass exceptions on."""
_STANDARD_LIBRARY = os.path.join(os.path.dirname(os.__file__), "")  # noqa: PTH118, PTH120 - frames hold texts
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception without its text."""

    error: str
    at: str

    def __str__(self) -> str:
        return f"{self.error} at {self.at}" if self.at else self.error


def failure(error: BaseException, package: str = "") -> Failure:
    """Describe an exception. Its place is the innermost frame in the team's `package`.

    Without one, it is the innermost frame in other code that is not installed, then in a library, then in Penstock.
    """
    frames = list(_frames(error.__traceback__))
    team = [frame for frame in frames if package and _package(frame[0]) == package]
    others = [frame for frame in frames if _package(frame[0]) not in _PASS_ON]
    application = [frame for frame in others if _is_application(frame[0].f_code.co_filename)]
    penstock = [frame for frame in frames if _package(frame[0]) == PENSTOCK]
    where = (team or application or others or penstock)[-1:]
    return Failure(type_name(error), "".join(f"{_file(frame)}:{line}" for frame, line in where))


def type_name(error: BaseException) -> str:
    """The name of its type, such as `ValueError` or `httpx.ReadTimeout`."""
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _frames(trace: TracebackType | None) -> list[tuple[FrameType, int]]:
    frames = []
    while trace is not None:
        frames.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    return frames


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _package(frame: FrameType) -> str:
    return _module(frame).partition(".")[0]


def _is_application(file: str) -> bool:
    """Whether a file belongs neither to Python nor to an installed library."""
    return not file.startswith(("<", _STANDARD_LIBRARY)) and not any(folder in file for folder in _INSTALLED)


def _file(frame: FrameType) -> str:
    """The path from the package on, such as `media/clustering.py`."""
    path = PurePath(frame.f_code.co_filename)
    known = sys.modules.get(_module(frame))
    depth = _module(frame).count(".") + 1 + (path.stem == "__init__" and hasattr(known, "__path__"))
    return PurePath(*path.parts[-depth:]).as_posix()
