"""An exception in words that another process understands."""

from __future__ import annotations

import datetime as dt
import json
import os
from types import TracebackType
from typing import Any

from penstock.isolation.delivery import Failed
from penstock.isolation.words import Garbled

LONGEST_TEXT = 1000
_STATUSES = range(100, 600)
_STATUS_OF = (
    ("status_code",),  # starlette, fastapi, most vendors' clients
    ("status",),  # aiohttp
    ("response", "status_code"),  # httpx, requests
    ("response", "status"),  # urllib3
    ("code",),  # urllib
)
_OURS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")  # noqa: PTH118, PTH120 - frames hold texts
_PYTHONS = os.path.join(os.path.dirname(os.__file__), "")  # noqa: PTH118, PTH120 - as above
_IMPORTING = ("<frozen ", os.path.join(_PYTHONS, "importlib", ""))  # noqa: PTH118 - as above
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


def describe(error: BaseException) -> Failed:
    """Tell what is needed of an exception. Never raises, whatever the exception's own code does."""
    kind = type(error)
    return Failed(
        type=_name(kind),
        mro=tuple(_name(one) for one in kind.__mro__ if one is not object),
        text=_text(error),
        status=_status(error),
        place=_place(error.__traceback__),
        retry_after=_retry_after(error),
    )


def as_bytes(failed: Failed) -> bytes:
    """Put it as it travels."""
    values = failed.type, failed.mro, failed.text, failed.status, failed.place, failed.retry_after
    return json.dumps(values).encode()


def from_bytes(body: bytes) -> Failed:
    """Read what `as_bytes` has written."""
    try:
        kind, mro, text, status, place, retry_after = json.loads(body)
        return Failed(kind, tuple(mro), text, status, place, retry_after)
    except (ValueError, TypeError) as error:
        raise Garbled("no failure beside a word") from error


def _name(kind: type) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _text(error: BaseException) -> str:
    try:
        return str(error)[:LONGEST_TEXT]
    except BaseException as worse:  # noqa: BLE001 - an exception's `__str__` is anyone's code
        return f"its text cannot be told: {_name(type(worse))}"


def _get(error: object, *names: str) -> Any:  # noqa: ANN401 - attributes of anyone's exceptions
    for name in names:
        try:
            error = getattr(error, name, None)
        except BaseException:  # noqa: BLE001 - a property is anyone's code
            return None
    return error


def _status(error: BaseException) -> int | None:
    for names in _STATUS_OF:
        found = _get(error, *names)
        if isinstance(found, int) and not isinstance(found, bool) and found in _STATUSES:
            return int(found)
    return None


def _retry_after(error: BaseException) -> float | None:
    found = _get(error, "retry_after")
    if isinstance(found, dt.timedelta):
        found = found.total_seconds()
    if isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found < float("inf"):
        return float(found)
    return None


def _place(trace: TracebackType | None) -> str:
    """The innermost line of the team's own code; without one, the innermost of others'."""
    place = ""
    of_the_team = False
    while trace is not None:
        code = trace.tb_frame.f_code
        own = _is_the_teams(code.co_filename)
        if own or not (of_the_team or code.co_filename.startswith((_OURS, *_IMPORTING))):
            module = trace.tb_frame.f_globals.get("__name__", "?")
            place = f"{module}:{trace.tb_lineno} in {code.co_qualname}"
        of_the_team = of_the_team or own
        trace = trace.tb_next
    return place


def _is_the_teams(file: str) -> bool:
    return not file.startswith(("<", _OURS, _PYTHONS)) and not any(folder in file for folder in _INSTALLED)
