"""A failure is told in words that another process understands."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import urllib.error
from email.message import Message
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from penstock.isolation import Failed, describe
from penstock.isolation.failure import as_bytes, from_bytes


class OwnError(ValueError):
    """A team's own."""


class Spoilt(Exception):  # noqa: N818 - it is
    """Nothing of it can be looked at."""

    def __str__(self) -> NoReturn:
        raise SystemExit(self.args)

    @property
    def status(self) -> NoReturn:
        raise KeyboardInterrupt

    @property
    def retry_after(self) -> NoReturn:
        raise RuntimeError


def failing(**attributes: object) -> Exception:
    error = Exception("x")
    for name, value in attributes.items():
        setattr(error, name, value)
    return error


def test_types_are_named_with_their_modules() -> None:
    """The narrowest first; those of Python as everyone writes them."""
    told = describe(OwnError("no"))
    assert told.type == told.mro[0] == f"{__name__}.OwnError"
    assert told.mro[1:] == ("ValueError", "Exception", "BaseException")
    assert describe(asyncio.QueueEmpty()).mro[0] == "asyncio.queues.QueueEmpty"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (failing(status_code=503), 503),
        (failing(status=404), 404),
        (failing(response=SimpleNamespace(status_code=429)), 429),
        (failing(response=SimpleNamespace(status=500)), 500),
        (urllib.error.HTTPError("http://x", 410, "Gone", Message(), None), 410),
        (failing(status_code="503"), None),
        (failing(status=True), None),
        (failing(code=7), None),
        (failing(status=70_000, code=418), 418),
        (failing(response=None), None),
        (failing(), None),
    ],
)
def test_the_status_is_where_clients_put_it(error: Exception, status: int | None) -> None:
    """And a number that is none is not taken for one."""
    assert describe(error).status == status


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        (30, 30.0),
        (0.5, 0.5),
        (dt.timedelta(minutes=1), 60.0),
        (0, 0.0),
        (-1, None),
        (float("nan"), None),
        (float("inf"), None),
        (True, None),
        ("30", None),
    ],
)
def test_the_wait_that_is_asked_for(asked: object, seconds: float | None) -> None:
    """In seconds, if it can be waited for."""
    assert describe(failing(retry_after=asked)).retry_after == seconds


def test_an_exception_that_cannot_be_looked_at_is_told() -> None:
    """Its own code fails, and that is all that comes of it."""
    told = describe(Spoilt())
    assert (told.type, told.status, told.retry_after) == (f"{__name__}.Spoilt", None, None)
    assert told.text == "its text cannot be told: SystemExit"


def test_long_texts_are_cut() -> None:
    """At as many characters as a dead letter has."""
    assert describe(Exception("é" * 5000)).text == "é" * 1000


def test_the_place_is_the_teams() -> None:
    """Where their code called what failed, rather than a line of Python's own."""

    def handler() -> Any:  # noqa: ANN401 - it returns nothing
        return json.loads("{")

    with pytest.raises(ValueError, match="Expecting") as caught:
        handler()
    line = handler.__code__.co_firstlineno + 1
    assert describe(caught.value).place == f"{__name__}:{line} in {handler.__qualname__}"
    assert describe(Exception()).place == ""


@pytest.mark.parametrize("text", ["", "\ud800 \x00 é 😀"])
def test_a_failure_travels_whole(text: str) -> None:
    """Also one whose text is no text."""
    failed = Failed("a.B", ("a.B", "Exception"), text, 503, "m:1 in f", 1.5)
    assert from_bytes(as_bytes(failed)) == failed
