"""A line has its process, time and message, and of a message's body only the fields that the spec selects."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE

from penstock.observe.events import Event
from penstock.observe.lines import LONGEST_TEXT, LONGEST_VALUE, Process, timestamp
from penstock.observe.logs import Log, level_of, loop_trouble, set_up
from penstock.observe.subject import SUBJECT, fields_of_message
from penstock.observe.traces import CARRIED, Trace
from penstock_spec.findings import CannotGoOn

PROCESS = Process("media-cluster", "worker-1-x7", "pod-1", 42)
TRACE = Trace("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "01")


class Message:
    """The subject of a line; counts how often its fields were read."""

    def __init__(self, **chosen: object) -> None:
        self.chosen = chosen
        self.reads = 0

    def log_fields(self) -> Mapping[str, object]:
        self.reads += 1
        return fields_of_message("7-0", 2, "job-1", self.chosen)


class LogPipe:
    """The log, read from the other end of a pipe."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()

    def text(self) -> str:
        os.set_blocking(self.reading, False)
        try:
            return os.read(self.reading, 1_000_000).decode()
        except BlockingIOError:
            return ""

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text().splitlines()]

    def line(self) -> dict[str, Any]:
        [line] = self.lines()
        return line


Begin = Callable[..., LogPipe]


@pytest.fixture
def begin() -> Iterator[Begin]:
    """Sets up a log, and restores logging after the test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    written = LogPipe()

    def start(format_: Any = "json", level: int = logging.INFO) -> LogPipe:  # noqa: ANN401 - `json` or `text`
        set_up(PROCESS, format_=format_, level=level, descriptor=written.writing)
        return written

    token = SUBJECT.set(None)
    carried = CARRIED.set(None)
    yield start
    SUBJECT.reset(token)
    CARRIED.reset(carried)
    logging.captureWarnings(capture=False)
    root.handlers[:], root.level = handlers, level
    for descriptor in (written.reading, written.writing):
        os.close(descriptor)


def test_a_line_has_its_process_and_time(begin: Begin) -> None:
    """One line, fields in a fixed order, UTC time in milliseconds."""
    written = begin()
    logging.getLogger("penstock.worker").info("reading %s", "now")
    line = written.line()
    assert list(line) == ["timestamp", "level", "message", "logger", "host", "pid", "pipeline", "consumer"]
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("timestamp"))
    assert line == {
        "level": "INFO",
        "message": "reading now",
        "logger": "penstock.worker",
        "host": "pod-1",
        "pid": 42,
        "pipeline": "media-cluster",
        "consumer": "worker-1-x7",
    }


def test_times_are_exact_to_the_millisecond() -> None:
    """Despite the rounding of floats."""
    assert timestamp(1_700_000_000.9996) == "2023-11-14T22:13:20.999Z"
    assert timestamp(0) == "1970-01-01T00:00:00.000Z"


def test_lines_during_an_attempt_have_the_fields_of_its_message(begin: Begin) -> None:
    """From any logger, and from tasks and threads that share its context."""
    written = begin()

    async def handle() -> None:
        SUBJECT.set(Message(pet_id=5))
        logging.getLogger("media.clustering").info("in the task")
        await asyncio.create_task(subtask())
        await asyncio.to_thread(logging.getLogger("media").info, "in a thread")

    async def subtask() -> None:
        logging.getLogger("media").info("in a subtask")

    async def work() -> None:
        await asyncio.create_task(handle())
        logging.getLogger("penstock").info("outside")

    asyncio.run(work())

    *inside, outside = written.lines()
    message_fields = {"message_id": "7-0", "attempt": 2, "correlation": "job-1", "pet_id": 5}
    assert [line["message"] for line in inside] == ["in the task", "in a subtask", "in a thread"]
    assert [{name: line.get(name) for name in message_fields} for line in inside] == [message_fields] * 3
    assert "message_id" not in outside


def test_without_a_line_no_fields_are_read(begin: Begin) -> None:
    """Nor for lines below the level."""
    begin()
    message = Message()
    SUBJECT.set(message)
    Log(logging.getLogger("media"), message).debug("unseen", one=1)
    logging.getLogger("media").debug("unseen")
    assert message.reads == 0


def test_a_logger_of_a_message_accepts_fields(begin: Begin) -> None:
    """Its lines have the fields of the message, wherever they are written."""
    written = begin()
    log = Log(logging.getLogger("media.clustering"), Message())
    for write in (log.info, log.warning, log.error):
        copy_context().run(write, "100 % of it", images=3, duration_ms=1.5)
    lines = written.lines()
    assert [line["level"] for line in lines] == ["INFO", "WARNING", "ERROR"]
    assert {(line["message"], line["images"], line["duration_ms"], line["message_id"]) for line in lines} == {
        ("100 % of it", 3, 1.5, "7-0")
    }


def test_the_trace_of_a_message_is_in_its_lines(begin: Begin) -> None:
    """Also without OpenTelemetry, if the sender gave a trace."""
    written = begin()
    CARRIED.set(TRACE)
    logging.getLogger("media").info("traced")
    line = written.line()
    assert (line["trace_id"], line["span_id"]) == (TRACE.trace_id, TRACE.span_id)


def test_a_reserved_name_gets_an_underscore(begin: Begin) -> None:
    """No field of a body can imitate a field of Penstock."""
    written = begin()
    SUBJECT.set(Message(level="x", message_id="forged", attempt=99, timestamp="y"))
    Log(logging.getLogger("media")).info("hello", message="m", level="l", error="e", self="s", package="p")
    logging.getLogger("media").info("hello", extra={"pid": 0, "pet": 1})
    first, second = written.lines()
    assert (first["level"], first["level_"], first["level__"]) == ("INFO", "x", "l")
    assert (first["message"], first["message_"]) == ("hello", "m")
    assert (first["message_id"], first["message_id_"]) == ("7-0", "forged")
    assert (first["attempt"], first["attempt_"]) == (2, 99)
    assert (first["self"], first["package"]) == ("s", "p")
    assert (second["pid"], second["pid_"], second["pet"]) == (42, 0, 1)


class Unprintable:
    """A value whose `__str__` fails."""

    def __str__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "logged"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (2**63, str(2**63)),
        pytest.param(10**5000, "<int>", id="more digits than Python writes"),
        (1.5, 1.5),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        ("x" * LONGEST_VALUE, "x" * LONGEST_VALUE),
        ("x" * 300, "x" * (LONGEST_VALUE - 3) + "..."),
        ({"a": [1]}, "{'a': [1]}"),
        (b"\xff", "b'\\xff'"),
        (Unprintable(), "<Unprintable>"),
        ("\x1b[31m\nnext\u2028\u202e\x00\ud800", "\x1b[31m\nnext\u2028\u202e\x00\ud800"),
    ],
)
def test_any_value_makes_a_line(begin: Begin, value: object, logged: object) -> None:
    """Valid JSON in ASCII without control characters; long values are cut."""
    written = begin()
    SUBJECT.set(Message(pet=value))
    logging.getLogger("media").info("hello")
    text = written.text()
    assert text.isascii()
    assert text[:-1].isprintable()
    assert json.loads(text, parse_constant=pytest.fail)["pet"] == logged


def test_an_incomplete_line_is_still_written(begin: Begin) -> None:
    """With wrong arguments, with a failing subject, with a very long text."""
    written = begin()
    logging.getLogger("media").info("%d pets", "many")
    SUBJECT.set(Failing())
    logging.getLogger("media").info("hello")
    SUBJECT.set(None)
    logging.getLogger("media").info("x" * 100_000)
    wrong_arguments, no_fields, long = written.lines()
    assert wrong_arguments["message"] == "%d pets"
    assert no_fields["log_fields_error"] == "KeyError"
    assert len(long["message"]) == LONGEST_TEXT


class Failing:
    """A subject whose fields cannot be read."""

    def log_fields(self) -> Mapping[str, object]:
        raise KeyError("secret")


def test_an_exception_that_a_handler_logs_is_one_field(begin: Begin) -> None:
    """With traceback and text, since the handler wants it; of a long one the end."""
    written = begin()
    log = Log(logging.getLogger("media"), Message())
    for text in ("pet 5", "x" * 100_000):
        try:
            _raise(text)
        except ValueError:
            log.exception("failed", images=1)
    log.exception("nothing is being handled")  # noqa: LOG004 - a mistake that must not break the line
    short, long, none = written.lines()
    assert short["exception"].startswith("Traceback (most recent call last):\n")
    assert short["exception"].endswith("ValueError: pet 5")
    assert (short["images"], short["level"]) == (1, "ERROR")
    assert len(long["exception"]) == LONGEST_TEXT
    assert long["exception"].startswith("...x")
    assert "exception" not in none


def test_events_have_type_and_place_of_an_exception_without_its_text(begin: Begin) -> None:
    """The place is in the team's code, not in a library that it calls."""
    written = begin()
    package = __name__.partition(".")[0]
    log = Log(logging.getLogger("penstock.worker"), Message(at="Berlin"), package=package)
    with pytest.raises(ValueError, match="Expecting") as raised:
        json.loads("{jane@example.org")
    log.event(Event.MESSAGE_FAILED, raised.value)
    line = written.line()
    assert (line["event"], line["error"]) == ("message.failed", "json.decoder.JSONDecodeError")
    assert re.fullmatch(rf"(\w+/)*test_logs\.py:{raised.tb.tb_lineno}", line["at_"])
    assert "jane" not in json.dumps(line)
    assert line["level"] == "WARNING"


def test_uncaught_exceptions_are_logged_without_their_text(begin: Begin) -> None:
    """Nor their arguments; asyncio's own messages are logged unchanged."""
    written = begin()

    async def fail() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(loop_trouble)
        loop.call_soon(_raise, "secret")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        loop.call_exception_handler({"message": "strange"})

    asyncio.run(fail())
    first, second = written.lines()
    assert first["error"] == "ValueError"
    assert "secret" not in json.dumps(first)
    assert (second["event"], second["detail"], second["level"]) == ("loop.exception", "strange", "WARNING")


def _raise(text: str) -> None:
    raise ValueError(text)


def test_the_text_format_has_a_line_each(begin: Begin) -> None:
    """Fields behind the message, a traceback below, no control characters."""
    written = begin("text")
    SUBJECT.set(Message(pet="a cat", note="\x1b[2J"))
    log = Log(logging.getLogger("media"))
    log.info("hello\x1b[31m\nthere", images=3)
    SUBJECT.set(None)
    log.info("bare")
    try:
        _raise("\x1b[0m")
    except ValueError:
        log.exception("failed")
    first, second, third, *trace = written.text().splitlines()
    assert re.fullmatch(
        r"\d\d:\d\d:\d\d\.\d{3} INFO    hello\\u001b\[31m\\u000athere  "
        r'message_id=7-0 attempt=2 correlation=job-1 pet="a cat" note=\\u001b\[2J images=3',
        first,
    )
    assert second.endswith("INFO    bare")
    assert third.endswith("ERROR   failed")
    assert trace[0] == "Traceback (most recent call last):"
    assert trace[-1] == "ValueError: \\u001b[0m"


def test_python_warnings_are_lines_too(begin: Begin) -> None:
    """Python prints none itself."""
    written = begin()
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert written.line()["logger"] == "py.warnings"


def test_the_environment_sets_the_level(begin: Begin) -> None:
    """INFO by default; an invalid level is an error."""
    assert [level_of(one) for one in ({}, {"LOG_LEVEL": ""}, {"LOG_LEVEL": "debug"}, {"LOG_LEVEL": "ERROR"})] == [
        logging.INFO,
        logging.INFO,
        logging.DEBUG,
        logging.ERROR,
    ]
    with pytest.raises(CannotGoOn) as raised:
        level_of({"LOG_LEVEL": "loud"})
    assert raised.value.says == "`LOG_LEVEL` is `loud`, which is not a level"
    assert "WARNING" in raised.value.hint
    written = begin(level=logging.ERROR)
    logging.getLogger("media").warning("unseen")
    assert written.text() == ""


def test_a_new_consumer_is_in_the_next_line(begin: Begin) -> None:
    """A worker that lost its lease registers under another name."""
    written = begin()
    PROCESS.consumer = "worker-1-y8"
    try:
        logging.getLogger("penstock").info("hello")
    finally:
        PROCESS.consumer = "worker-1-x7"
    assert written.line()["consumer"] == "worker-1-y8"


BREAKS = """
import logging, os, sys
from penstock.observe.lines import Process
from penstock.observe.logs import set_up
set_up(Process("x"), format_="json", level=logging.INFO)
{breaks}
for _ in range(3):
    logging.getLogger("x").info("hello")
print("alive")
"""


FULL = """
reading, writing = os.pipe()
os.dup2(writing, 2)
os.set_blocking(2, False)
try:
    while True:
        os.write(2, b"x" * 4096)
except BlockingIOError:
    pass
"""
LONG = """
import logging
from penstock.observe.logs import Lines
Lines().handle(logging.makeLogRecord({"msg": "x" * 300_000}))
"""


@pytest.mark.parametrize(
    "breaks",
    [
        "os.close(2)",
        "reading, writing = os.pipe(); os.dup2(writing, 2); os.close(reading)",
        FULL,
        "os.dup2(os.open('/dev/full', os.O_WRONLY), 2)",
    ],
)
def test_a_broken_stderr_ends_no_process(breaks: str, tmp_path: Path) -> None:
    """Closed, without a reader or full: the program goes on and exits with 0."""
    program = tmp_path / "breaks.py"
    program.write_text(BREAKS.format(breaks=breaks))
    finished = subprocess.run([sys.executable, program], stdout=subprocess.PIPE, timeout=PATIENCE, check=False)
    assert (finished.returncode, finished.stdout) == (0, b"alive\n")


def test_lines_longer_than_a_pipe_are_complete() -> None:
    """The rest of a partial write follows."""
    finished = subprocess.run([sys.executable, "-c", LONG], stderr=subprocess.PIPE, timeout=PATIENCE, check=True)
    assert finished.stderr == b"x" * 300_000 + b"\n"
