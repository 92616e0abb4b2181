"""How failure classes match: exceptions by name, and HTTP statuses."""

from __future__ import annotations

import builtins
import re

from penstock_spec.fields import nearest

STATUS = re.compile(r"[1-5][0-9]{2}|[1-5]xx", re.ASCII)
EXCEPTION = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)

SAME = {
    "asyncio.TimeoutError": "TimeoutError",
    "concurrent.futures.TimeoutError": "TimeoutError",
    "socket.timeout": "TimeoutError",
    "socket.error": "OSError",
    "select.error": "OSError",
}
"""Aliases in Python's library for exceptions that are builtins since 3.11."""


def is_status(match: str) -> bool:
    """Whether it is a status such as `503`, or `5xx` for 500 to 599."""
    return STATUS.fullmatch(match) is not None


def is_exception(match: str) -> bool:
    """Whether it can be the name of an exception, with or without its module; other builtins cannot."""
    if not EXCEPTION.fullmatch(match):
        return False
    bare = match.removeprefix("builtins.")
    return builtin(bare) is not None or not hasattr(builtins, bare)


def builtin(match: str) -> type[BaseException] | None:
    """The builtin exception of this name, or None."""
    name = SAME.get(match, match).removeprefix("builtins.")
    value = getattr(builtins, name, None)
    return value if isinstance(value, type) and issubclass(value, BaseException) else None


def covers(earlier: str, later: str) -> bool:
    """Whether the earlier match covers everything that the later one matches."""
    if earlier == later:
        return True
    base, derived = builtin(earlier), builtin(later)
    if base and derived:
        return issubclass(derived, base)
    if base:  # HTTP statuses and other exceptions are subclasses of Exception
        return base in (Exception, BaseException)
    if is_status(earlier):
        return earlier.endswith("xx") and is_status(later) and later[0] == earlier[0]
    # a name without a module stands for all exceptions of that name
    return derived is None and "." not in earlier and later.rpartition(".")[2] == earlier


def suggest_match(match: str) -> str | None:
    """A suggestion for a match that is neither a status nor an exception."""
    lower = match.strip().lower()
    status = re.search(r"(?<![0-9a-z])([1-5])([0-9]{2}|xx|[0-9]x|\*\*|\*)(?![0-9a-z])", lower, re.ASCII)
    if status:
        return status[0] if status[2].isdecimal() else f"{status[1]}xx"
    if lower == "*":
        return "Exception"
    name = match.strip().removesuffix("()").replace(":", ".")
    if is_exception(name):
        return name
    known = [one for one in dir(builtins) if builtin(one)]
    return nearest(name, known) if EXCEPTION.fullmatch(name) else None
