"""Failure classes match by name exactly as by type, and as lint assumes."""

import json
import pickle
import sys
import urllib.error
from dataclasses import asdict
from email.message import Message
from http import HTTPStatus
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from penstock.handling.exceptions import Bury, Retry
from penstock.handling.failures import LONGEST, Failure, FailureMatcher
from penstock_spec.failures.matching import SAME, builtin, covers, is_status

BUILTINS = [
    Exception, ValueError, UnicodeDecodeError, OSError, ConnectionError, ConnectionResetError, TimeoutError,
    LookupError, KeyError, ArithmeticError, ZeroDivisionError, RuntimeError, RecursionError, SystemExit,
]  # fmt: skip
NAMES = ["Oops", "TimeoutError", "NotFound"]
MODULES = ["team", "team.jobs", "httpx"]
EVERY = (
    *(one.__name__ for one in BUILTINS), "BaseException", "IOError", "builtins.OSError", "builtins.Oops", *SAME,
    *NAMES, *(f"{module}.{name}" for module in MODULES for name in NAMES), "Outer", "team.Outer.Oops",
    "503", "404", "5xx", "4xx", "1xx",
)  # fmt: skip
MATCHES = st.sampled_from(EVERY)
COVERED = [
    (FailureMatcher.of([one]), one, FailureMatcher.of([two]), two) for one in EVERY for two in EVERY if covers(one, two)
]


@st.composite
def kinds(draw: st.DrawFn) -> type[BaseException]:
    """Draw an exception class: one of Python's, or one that derives from one or two others."""
    kind = draw(st.sampled_from(BUILTINS))
    for _ in range(draw(st.integers(0, 3))):
        name = draw(st.sampled_from(NAMES))
        space = {
            "__module__": draw(st.sampled_from(MODULES)),
            "__qualname__": draw(st.sampled_from([name, f"Outer.{name}"])),
        }
        mixed = type(draw(st.sampled_from(NAMES)), (), {"__module__": draw(st.sampled_from(MODULES))})
        bases = (kind, mixed) if draw(st.booleans()) else (kind,)
        kind = type(name, bases, space)
    return kind


@st.composite
def exceptions(draw: st.DrawFn) -> BaseException:
    """Draw an exception, with or without a status."""
    one = draw(kinds())
    made = one.__new__(one)
    status: object = draw(st.sampled_from([None, 503, 404, 504, 99, 600, True, "503"]))
    where = draw(st.sampled_from(["status", "status_code", "response"]))
    if where == "response":
        status = SimpleNamespace(status_code=status)
    setattr(made, where, status)
    return made


def status_of(exception: BaseException) -> object:
    response = getattr(exception, "response", None)
    code = getattr(exception, "code", None) if isinstance(exception, SystemExit) else None
    assert code is None
    return response.status_code if response else getattr(exception, "status", getattr(exception, "status_code", None))


def matches_in_process(match: str, exception: BaseException) -> bool:
    """Apply a match to the exception itself."""
    if is_status(match):
        status = status_of(exception)
        if type(status) is not int or not isinstance(exception, Exception):
            return False
        return str(status) == match or (match.endswith("xx") and 100 <= status < 600 and str(status)[0] == match[0])
    known = builtin(match)
    if known is not None:
        return isinstance(exception, known)
    every = type(exception).__mro__
    if "." in match:
        return any(f"{one.__module__}.{one.__qualname__}" == match for one in every)
    return any(one.__name__ == match for one in every)


@given(MATCHES, exceptions())
def test_names_match_as_types_do(match: str, exception: BaseException) -> None:
    """A failure from another process has names only."""
    assert FailureMatcher.of([match]).matches(Failure.of(exception)) == matches_in_process(match, exception)


@given(exceptions().filter(lambda one: isinstance(one, Exception) or type(one) is SystemExit))
def test_lint_and_runtime_agree_on_useless_classes(exception: BaseException) -> None:
    """A class that lint calls useless matches no failure that an earlier one does not match.

    Like lint, this assumes that classes derive from `Exception` alone.
    """
    failure = Failure.of(exception)
    wrong = [
        (one, two) for earlier, one, later, two in COVERED if later.matches(failure) and not earlier.matches(failure)
    ]
    assert not wrong


@given(st.lists(MATCHES, max_size=4), exceptions())
def test_a_class_matches_if_one_of_its_entries_does(matches: list[str], exception: BaseException) -> None:
    failure = Failure.of(exception)
    assert FailureMatcher.of(matches).matches(failure) == any(
        FailureMatcher.of([one]).matches(failure) for one in matches
    )


@given(exceptions())
def test_a_failure_survives_json(exception: BaseException) -> None:
    failure = Failure.of(exception)
    assert pickle.loads(pickle.dumps(failure)) == failure  # noqa: S301 - just written


@pytest.mark.parametrize(
    ("match", "exception", "expected"),
    [
        ("OSError", ConnectionResetError(), True),
        ("ConnectionError", OSError(), False),
        ("asyncio.TimeoutError", TimeoutError(), True),
        ("socket.timeout", TimeoutError(), True),
        ("TimeoutError", redis.TimeoutError(), False),
        ("redis.exceptions.TimeoutError", redis.TimeoutError(), True),
        ("redis.TimeoutError", redis.TimeoutError(), True),
        ("redis.RedisError", redis.TimeoutError(), True),
        ("redis.asyncio.TimeoutError", redis.TimeoutError(), False),
        ("RedisError", redis.TimeoutError(), True),
        ("Exception", SystemExit(), False),
        ("BaseException", SystemExit(), True),
        ("4xx", SystemExit(404), False),
        ("404", urllib.error.HTTPError("http://a.example", 404, "", Message(), None), True),
        ("4xx", urllib.error.HTTPError("http://a.example", 404, "", Message(), None), True),
        ("40x", urllib.error.HTTPError("http://a.example", 404, "", Message(), None), False),
        ("Exception", urllib.error.HTTPError("http://a.example", 404, "", Message(), None), True),
        ("penstock.Retry", Retry(), True),
    ],
)
def test_matches_as_people_write_them(match: str, exception: BaseException, expected: bool) -> None:  # noqa: FBT001 - a parameter of the test
    assert FailureMatcher.of([match]).matches(Failure.of(exception)) is expected


def test_a_package_name_matches_only_classes_that_it_exports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another class of the same name does not match, and lazy modules are not imported."""
    oops = type("Oops", (Exception,), {"__module__": "team_x.jobs.errors"})
    exporting, other = ModuleType("team_x"), ModuleType("team_x.jobs")
    exporting.__dict__["Oops"] = oops
    other.__dict__["Oops"] = type("Oops", (Exception,), {})
    monkeypatch.setitem(sys.modules, "team_x", exporting)
    monkeypatch.setitem(sys.modules, "team_x.jobs", other)
    assert Failure.of(oops()).types[:2] == ("team_x.jobs.errors.Oops", "team_x.Oops")
    assert "team_x.jobs.Oops" not in Failure.of(oops()).types


def test_a_failure_may_have_a_status_only() -> None:
    """It may come from another process or another language."""
    failure = Failure((), 503)
    assert FailureMatcher.of(["5xx"]).matches(failure)
    assert FailureMatcher.of(["Exception"]).matches(failure)
    assert not FailureMatcher.of(["OSError", "Oops"]).matches(failure)


class AwkwardError(Exception):
    @property
    def status(self) -> int:
        raise KeyboardInterrupt

    @property
    def response(self) -> Any:  # noqa: ANN401 - clients differ
        return SimpleNamespace(status=HTTPStatus.BAD_GATEWAY)

    def __str__(self) -> str:
        raise SystemExit("no words")


def test_an_exception_that_raises_when_read_is_described() -> None:
    failure = Failure.of(AwkwardError())
    assert (failure.status, failure.text) == (502, "(its text cannot be read)")
    assert type(failure.status) is int


def test_an_error_shows_type_and_text() -> None:
    assert Failure.of(ValueError("no width")).error == "ValueError: no width"
    assert Failure.of(ValueError()).error == "ValueError"
    assert Failure.of(redis.TimeoutError("5 s")).error == "redis.exceptions.TimeoutError: 5 s"
    assert Failure((), 503).error == "Failure"


def test_an_error_fits_into_a_dead_letter() -> None:
    failure = Failure.of(ValueError("x" * 10_000_000))
    assert len(failure.text) == LONGEST
    assert len(failure.error) == LONGEST


def test_a_lone_surrogate_in_an_error_is_escaped() -> None:
    assert Failure.of(ValueError("\ud800 and a half")).error.encode() == rb"ValueError: \ud800 and a half"


@pytest.mark.parametrize("text", ["", "\ud800 \x00 é 😀"])
def test_a_failure_keeps_everything_in_json(text: str) -> None:
    """This includes text that is not valid Unicode."""
    failure = Failure(("a.B", "builtins.Exception"), 503, text, 1500, final=True)
    assert Failure.from_json(json.loads(json.dumps(asdict(failure)))) == failure


def test_a_failure_carries_the_requests_of_the_handler() -> None:
    assert (Failure.of(Retry(after=1.5, reason="busy")).wait_ms, Failure.of(Retry(after=0)).wait_ms) == (1500, 0)
    assert Failure.of(Retry()).wait_ms is None
    assert (Failure.of(Bury("gone")).final, Failure.of(Retry()).final, Failure.of(ValueError()).final) == (
        True,
        False,
        False,
    )
    assert Failure.of(Retry(reason="busy")).error == "penstock.Retry: busy"


@pytest.mark.parametrize(("after", "wait"), [("30s", 30_000), ("500ms", 500), (0.0004, 0), (2, 2000), ("0s", 0)])
def test_a_wait_is_seconds_or_a_duration(after: float | str, wait: int) -> None:
    assert Retry(after=after).wait_ms == wait


@pytest.mark.parametrize(
    ("after", "message"),
    [
        (-1, "`after` of a retry is a number of seconds from 0 to ten years"),
        (float("nan"), "`after` of a retry is a number of seconds from 0 to ten years"),
        (float("inf"), "`after` of a retry is a number of seconds from 0 to ten years"),
        (1e300, "`after` of a retry is a number of seconds from 0 to ten years"),
        ("30", "`after` of a retry: `30` has no unit; write `30s`"),
        ("soon", "`after` of a retry: `soon` is not a duration; write whole numbers"),
        ("4000d", "`after` of a retry: `4000d` is longer than ten years; write at most `3650d`"),
    ],
)
def test_an_invalid_wait_raises_at_once(after: float | str, message: str) -> None:
    with pytest.raises(ValueError, match="of a retry") as raised:
        Retry(after=after)
    assert str(raised.value).startswith(message)
