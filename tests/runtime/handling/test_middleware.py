"""Middleware forms layers around the handler, and each layer learns how the inner ones ended."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import pytest
from logged import logged

from penstock.handling.declare import Declaration, Middleware, handler
from penstock.handling.middleware import Call, with_middleware
from penstock.observe.events import Event

Calls = list[str]


class Layer(Middleware):
    """A layer that records its calls, and raises in the given hook."""

    def __init__(self, name: str, calls: Calls, *, fails: str = "") -> None:
        self.name = name
        self.calls = calls
        self.fails = fails

    def note(self, hook: str) -> None:
        self.calls.append(f"{self.name}.{hook}")
        if hook == self.fails:
            raise LookupError(f"{self.name}.{hook} hunter2")

    async def before(self, message: Any, context: Any) -> None:  # noqa: ANN401 - as it is declared
        assert (message, context) == ("message", "context")
        self.note("before")

    async def after(self, message: Any, context: Any, result: Any) -> None:  # noqa: ANN401 - as above
        assert (message, context, result) == ("message", "context", "result")
        self.note("after")

    async def on_error(self, message: Any, context: Any, error: Exception) -> None:  # noqa: ANN401 - as above
        assert (message, context) == ("message", "context")
        self.calls.append(f"{self.name} receives {type(error).__name__}")
        self.note("on_error")


async def works(_message: Any, _context: Any) -> str:  # noqa: ANN401 - any handler
    return "result"


async def fails(_message: Any, _context: Any) -> str:  # noqa: ANN401 - any handler
    raise ValueError("wrong")


def outcome_of(call: Call, layers: Sequence[Middleware]) -> str:
    """Return the result, or the name of the exception."""
    try:
        return str(asyncio.run(_awaited(with_middleware(call, layers))))
    except Exception as error:  # noqa: BLE001 - the tests compare any outcome
        return type(error).__name__


async def _awaited(call: Call) -> object:
    return await call("message", "context")


def test_without_middleware_the_handler_itself_is_called() -> None:
    assert with_middleware(works, ()) is works


def test_before_runs_in_order_and_after_in_reverse() -> None:
    calls: Calls = []
    assert outcome_of(works, [Layer("one", calls), Layer("two", calls)]) == "result"
    assert calls == ["one.before", "two.before", "two.after", "one.after"]


def test_on_error_runs_in_reverse_and_keeps_the_error() -> None:
    calls: Calls = []
    assert outcome_of(fails, [Layer("one", calls), Layer("two", calls)]) == "ValueError"
    assert calls == [
        "one.before", "two.before", "two receives ValueError", "two.on_error", "one receives ValueError", "one.on_error"
    ]  # fmt: skip


def test_an_error_in_before_fails_the_attempt_without_the_handler() -> None:
    """Only layers whose own `before` succeeded receive the error."""
    calls: Calls = []

    async def never(_message: Any, _context: Any) -> None:  # noqa: ANN401 - any handler
        calls.append("handler")

    layers = [Layer("one", calls), Layer("two", calls, fails="before"), Layer("three", calls)]
    assert outcome_of(never, layers) == "LookupError"
    assert calls == ["one.before", "two.before", "one receives LookupError", "one.on_error"]


def test_an_error_in_after_fails_the_attempt() -> None:
    """The outer layers receive the error; the inner ones have already succeeded."""
    calls: Calls = []
    layers = [Layer("one", calls), Layer("two", calls, fails="after"), Layer("three", calls)]
    assert outcome_of(works, layers) == "LookupError"
    assert calls == [
        "one.before", "two.before", "three.before",
        "three.after", "two.after", "one receives LookupError", "one.on_error",
    ]  # fmt: skip


def test_an_error_in_on_error_is_logged_and_the_first_counts(caplog: pytest.LogCaptureFixture) -> None:
    """The event has its type and place, and no content of the message."""
    calls: Calls = []
    with caplog.at_level(logging.ERROR):
        assert outcome_of(fails, [Layer("one", calls), Layer("two", calls, fails="on_error")]) == "ValueError"
    assert calls[-1] == "one.on_error"
    [line] = logged(caplog)
    assert (line["event"], line["middleware"], line["error"]) == (Event.MIDDLEWARE_FAILED, "Layer", "LookupError")
    assert str(line["at"]).startswith("tests/runtime/handling/test_middleware.py:")
    assert "hunter2" not in str(line)


def test_methods_that_are_not_overridden_are_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    class OnlyAfter(Middleware):
        async def after(self, *_: object) -> None:
            calls.append("after")

    def forbidden(*_arguments: object) -> None:
        raise AssertionError("called")

    calls: Calls = []
    layer = OnlyAfter()
    call = with_middleware(works, [layer])
    monkeypatch.setattr(Middleware, "before", forbidden)
    monkeypatch.setattr(Middleware, "on_error", forbidden)
    assert asyncio.run(_awaited(call)) == "result"
    assert calls == ["after"]


def test_a_cancelled_attempt_calls_neither_after_nor_on_error() -> None:
    """The attempt neither failed nor succeeded."""
    calls: Calls = []

    async def cancelled() -> None:
        started = asyncio.Event()

        async def waits(_message: Any, _context: Any) -> None:  # noqa: ANN401 - any handler
            started.set()
            await asyncio.Event().wait()

        task = asyncio.ensure_future(with_middleware(waits, [Layer("one", calls)])("message", "context"))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert calls == ["one.before"]


def test_the_decorator_returns_the_function() -> None:
    layer = Layer("one", [])

    async def handle(message: str) -> str:
        return message

    declared = handler(middleware=[layer])(handle)
    assert declared is handle
    assert asyncio.run(declared("hello")) == "hello"
    assert vars(handle)["__penstock__"] == Declaration((layer,), None)


def test_the_default_methods_do_nothing() -> None:
    class Nothing(Middleware):
        pass

    async def every() -> None:
        await Nothing().before("message", "context")
        await Nothing().after("message", "context", "result")
        await Nothing().on_error("message", "context", ValueError())

    asyncio.run(every())
    assert outcome_of(works, [Nothing()]) == "result"
    assert outcome_of(fails, [Nothing()]) == "ValueError"
