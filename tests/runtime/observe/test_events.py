"""Events are an interface: code, contract and page have the same events, and every log line of the runtime has one."""

from __future__ import annotations

import ast
import logging
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields as fields_of
from pathlib import Path
from typing import NamedTuple

import pytest
from logged import logged

import penstock
from penstock.janitor.reconcile import ReconcileResult
from penstock.observe.event_lines import EVENT_LINES
from penstock.observe.event_lines.define import SUBJECT_FIELDS
from penstock.observe.event_lines.scheduler import SUMMARY
from penstock.observe.events import Event
from penstock.observe.logs import Log

ROOT = Path(__file__).parents[3]
PACKAGE = Path(penstock.__file__).parent
PAGE = ROOT / "docs/reference/events.md"
LOGGERS = frozenset({"log", "_log", "logger", "_logger", "LOGGER", "Log", "getLogger"})
LEVELS = frozenset({"debug", "info", "warning", "error", "exception", "critical", "log"})
CAUSE = frozenset({"error", "at"})
SPREAD = {
    "_summary": frozenset(SUMMARY),
    "log_fields": frozenset(field.name for field in fields_of(ReconcileResult)) - {"more_left"},
    "fields": frozenset({"pipeline", "step"}),
}
"""Fields that a call passes with `**`, by the function or variable that they come from."""


class LogCall(NamedTuple):
    """A call of `Log.event`."""

    at: str
    events: frozenset[Event]
    fields: frozenset[str]
    spread: frozenset[str]


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text())


def called(node: ast.AST) -> str:
    """The last name of a called function, or of the object whose method is called."""
    match node:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
        case ast.Call(function):
            return called(function)
        case _:
            return ""


def role_calls(at: str, role: dict[str | None, ast.expr]) -> Iterator[LogCall]:
    """The two lines that `pod/run.py` logs for a role: one with the role's fields, one with the exit code."""
    match role["started"], role["stopped"], role["fields"]:
        case ast.Attribute(attr=started), ast.Attribute(attr=stopped), ast.Dict(keys):
            names = frozenset(str(key.value) for key in keys if isinstance(key, ast.Constant))
            yield LogCall(at, frozenset({Event[started]}), names, frozenset())
            yield LogCall(at, frozenset({Event[stopped]}), frozenset({"exit_code"}), frozenset())
        case _:
            pytest.fail(f"{at}: a role must name its events and fields in the call, so that this test finds them")


def log_calls() -> Iterator[LogCall]:
    for path, tree in trees():
        for node in ast.walk(tree):
            match node:
                case ast.Call(ast.Name("Role"), [], keywords):
                    yield from role_calls(f"{path}:{node.lineno}", {one.arg: one.value for one in keywords})
                case ast.Call(ast.Attribute(attr="event"), [ast.Attribute(ast.Name("role")), *_], _):
                    pass  # `pod/run.py` logs the events of the roles
                case ast.Call(ast.Attribute(attr="event"), [first, *rest], keywords):
                    attributes = (one.attr for one in ast.walk(first) if isinstance(one, ast.Attribute))
                    events = frozenset(Event[name] for name in attributes if name in Event.__members__)
                    spread = frozenset[str]().union(*(SPREAD[called(one.value)] for one in keywords if one.arg is None))
                    names = frozenset(one.arg for one in keywords if one.arg is not None)
                    yield LogCall(f"{path}:{node.lineno}", events, names | (CAUSE if rest else frozenset()), spread)
                case _:
                    pass


CALLS = list(log_calls())


def test_every_event_has_one_line_in_the_contract() -> None:
    assert set(EVENT_LINES) == set(Event)


def test_the_page_has_every_event() -> None:
    """Each once, and no other."""
    rows = re.findall(r"^\| `(\w+\.\w+)` \|", PAGE.read_text(), re.MULTILINE)
    assert sorted(rows) == sorted(Event)


def test_every_event_is_logged_somewhere() -> None:
    assert {event for call in CALLS for event in call.events} == set(Event)


def test_every_call_names_its_event() -> None:
    """In the call itself, so that a search finds it."""
    assert [call.at for call in CALLS if not call.events] == []


def test_the_runtime_logs_only_events() -> None:
    """Handlers alone log by level."""
    calls = [
        f"{path}:{node.lineno}"
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in LEVELS
        and called(node.func.value) in LOGGERS
        and path != "observe/logs.py"
    ]
    assert calls == []


def test_calls_carry_the_fields_of_the_contract() -> None:
    """A call has no other field, and the contract has no field without a call."""
    used: dict[Event, set[str]] = defaultdict(set)
    for call in CALLS:
        for event in call.events:
            assert call.fields <= set(EVENT_LINES[event].fields), call
            used[event] |= call.fields | (call.spread & set(EVENT_LINES[event].fields))
    assert {event: set(line.fields) for event, line in EVENT_LINES.items()} == {event: used[event] for event in Event}


@pytest.mark.parametrize("event", Event)
def test_a_message_shows_only_fields_that_every_call_has(event: Event) -> None:
    """So that no line lacks a field of its message."""
    shown = set(re.findall(r"\{(\w+)\}", EVENT_LINES[event].message))
    for call in CALLS:
        if event in call.events:
            assert shown <= call.fields, call.at


@pytest.mark.parametrize("event", Event)
def test_event_fields_hide_no_other_field(event: Event) -> None:
    """No event field has the name of a field of every line, or of a line about the same subject."""
    line = EVENT_LINES[event]
    reserved = {
        "timestamp",
        "level",
        "message",
        "event",
        "logger",
        "host",
        "pid",
        *(SUBJECT_FIELDS[line.subject] if line.subject else ()),
    }
    assert reserved.isdisjoint(line.fields)


def test_a_line_has_its_event_and_fields(caplog: pytest.LogCaptureFixture) -> None:
    """Its message is complete; a field without a value is omitted."""
    with caplog.at_level(logging.INFO):
        Log(logging.getLogger("penstock.test")).event(Event.SIGNAL_RECEIVED, signal="SIGTERM", nothing=None)
    [line] = logged(caplog)
    assert (line["message"], line["event"], line["signal"]) == (
        "Received SIGTERM; shutting down",
        "signal.received",
        "SIGTERM",
    )
    assert "nothing" not in line
