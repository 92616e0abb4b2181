"""A line says who, when, what, and about which message; and nothing of a message that the spec did not choose."""

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

from penstock.observe.about import ABOUT, fields_of_message
from penstock.observe.events import Event
from penstock.observe.lines import LONGEST_TEXT, LONGEST_VALUE, Process, timestamp
from penstock.observe.logs import Log, level_of, loop_trouble, set_up
from penstock.observe.traces import CARRIED, Trace
from penstock_spec.findings import CannotGoOn

PROCESS = Process("media-cluster", "worker-1-x7", "pod-1", 42)
TRACE = Trace("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "01")


class Message:
    """What a line can be about; counts how often it was asked."""

    def __init__(self, **chosen: object) -> None:
        self.chosen = chosen
        self.asked = 0

    def log_fields(self) -> Mapping[str, object]:
        self.asked += 1
        return fields_of_message("7-0", 2, "job-1", self.chosen)


class Written:
    """The log, as somebody reads it at the other end of a pipe."""

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


Begin = Callable[..., Written]


@pytest.fixture
def begin() -> Iterator[Begin]:
    """Sets a log up; at the end all is as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    written = Written()

    def start(format_: Any = "json", level: int = logging.INFO) -> Written:  # noqa: ANN401 - one of two words
        set_up(PROCESS, format_=format_, level=level, descriptor=written.writing)
        return written

    token = ABOUT.set(None)
    carried = CARRIED.set(None)
    yield start
    ABOUT.reset(token)
    CARRIED.reset(carried)
    logging.captureWarnings(capture=False)
    root.handlers[:], root.level = handlers, level
    for descriptor in (written.reading, written.writing):
        os.close(descriptor)


def test_a_line_has_its_process_and_time(begin: Begin) -> None:
    """On a line of its own, in one order, with the time in UTC to the millisecond."""
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


def test_times_are_right_to_the_millisecond() -> None:
    """Whatever a float makes of them."""
    assert timestamp(1_700_000_000.9996) == "2023-11-14T22:13:20.999Z"
    assert timestamp(0) == "1970-01-01T00:00:00.000Z"


def test_lines_within_a_message_are_about_it(begin: Begin) -> None:
    """By any logger, in any task and thread that was started there with its context."""
    written = begin()

    async def handle() -> None:
        ABOUT.set(Message(pet_id=5))
        logging.getLogger("media.clustering").info("in the task")
        await asyncio.create_task(deeper())
        await asyncio.to_thread(logging.getLogger("media").info, "in a thread")

    async def deeper() -> None:
        logging.getLogger("media").info("in a task of the task")

    async def work() -> None:
        await asyncio.create_task(handle())
        logging.getLogger("penstock").info("outside")

    asyncio.run(work())

    *inside, outside = written.lines()
    about = {"message_id": "7-0", "attempt": 2, "correlation": "job-1", "pet_id": 5}
    assert [line["message"] for line in inside] == ["in the task", "in a task of the task", "in a thread"]
    assert [{name: line.get(name) for name in about} for line in inside] == [about] * 3
    assert "message_id" not in outside


def test_a_message_that_logs_nothing_is_asked_nothing(begin: Begin) -> None:
    """Not below the level either."""
    begin()
    message = Message()
    ABOUT.set(message)
    Log(logging.getLogger("media"), message).debug("unseen", one=1)
    logging.getLogger("media").debug("unseen")
    assert message.asked == 0


def test_a_logger_of_a_message_takes_fields(begin: Begin) -> None:
    """Its lines are about the message wherever they are written."""
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
    """Also without OpenTelemetry, for a sender that said it."""
    written = begin()
    CARRIED.set(TRACE)
    logging.getLogger("media").info("traced")
    line = written.line()
    assert (line["trace_id"], line["span_id"]) == (TRACE.trace_id, TRACE.span_id)


def test_a_name_that_is_taken_gets_an_underscore(begin: Begin) -> None:
    """No field of a body can pass for one of ours."""
    written = begin()
    ABOUT.set(Message(level="x", message_id="forged", attempt=99, timestamp="y"))
    Log(logging.getLogger("media")).info("hello", message="m", level="l", error="e", self="s", package="p")
    logging.getLogger("media").info("hello", extra={"pid": 0, "pet": 1})
    first, second = written.lines()
    assert (first["level"], first["level_"], first["level__"]) == ("INFO", "x", "l")
    assert (first["message"], first["message_"]) == ("hello", "m")
    assert (first["message_id"], first["message_id_"]) == ("7-0", "forged")
    assert (first["attempt"], first["attempt_"]) == (2, 99)
    assert (first["self"], first["package"]) == ("s", "p")
    assert (second["pid"], second["pid_"], second["pet"]) == (42, 0, 1)


class Sly:
    """A value that does not want to be told."""

    def __str__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "told"),
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
        (Sly(), "<Sly>"),
        ("\x1b[31m\nnext\u2028\u202e\x00\ud800", "\x1b[31m\nnext\u2028\u202e\x00\ud800"),
    ],
)
def test_any_value_makes_a_line(begin: Begin, value: object, told: object) -> None:
    """Of valid JSON, in ASCII, with nothing that a terminal would obey; long ones are cut."""
    written = begin()
    ABOUT.set(Message(odd=value))
    logging.getLogger("media").info("hello")
    text = written.text()
    assert text.isascii()
    assert text[:-1].isprintable()
    assert json.loads(text, parse_constant=pytest.fail)["odd"] == told


def test_a_line_that_cannot_be_made_whole_is_written_all_the_same(begin: Begin) -> None:
    """With arguments that do not fit, with a subject that fails, with a text without end."""
    written = begin()
    logging.getLogger("media").info("%d pets", "many")
    ABOUT.set(Failing())
    logging.getLogger("media").info("hello")
    ABOUT.set(None)
    logging.getLogger("media").info("x" * 100_000)
    odd, without, long = written.lines()
    assert odd["message"] == "%d pets"
    assert without["log_fields_error"] == "KeyError"
    assert len(long["message"]) == LONGEST_TEXT


class Failing:
    """A subject whose fields cannot be had."""

    def log_fields(self) -> Mapping[str, object]:
        raise KeyError("secret")


def test_an_exception_that_a_handler_logs_is_one_field(begin: Begin) -> None:
    """With its traceback and its text, as it asked for; of a long one the end."""
    written = begin()
    log = Log(logging.getLogger("media"), Message())
    for text in ("pet 5", "x" * 100_000):
        try:
            _raise(text)
        except ValueError:
            log.exception("failed", images=1)
    log.exception("nothing is being handled")  # noqa: LOG004 - a mistake that makes no broken line
    short, long, none = written.lines()
    assert short["exception"].startswith("Traceback (most recent call last):\n")
    assert short["exception"].endswith("ValueError: pet 5")
    assert (short["images"], short["level"]) == (1, "ERROR")
    assert len(long["exception"]) == LONGEST_TEXT
    assert long["exception"].startswith("...x")
    assert "exception" not in none


def test_events_have_type_and_place_of_an_exception_without_its_text(begin: Begin) -> None:
    """The place is in the team's code, not in what that called."""
    written = begin()
    package = __name__.partition(".")[0]
    log = Log(logging.getLogger("penstock.worker"), Message(at="Berlin"), package=package)
    with pytest.raises(ValueError, match="Expecting") as raised:
        json.loads("{jane@example.org")
    log.event(Event.MESSAGE_FAILED, raised.value)
    told = written.line()
    assert (told["event"], told["error"]) == ("message.failed", "json.decoder.JSONDecodeError")
    assert re.fullmatch(rf"(\w+/)*test_logs\.py:{raised.tb.tb_lineno}", told["at_"])
    assert "jane" not in json.dumps(told)
    assert told["level"] == "WARNING"


def test_uncaught_exceptions_are_logged_without_their_text(begin: Begin) -> None:
    """Nor its arguments, by the loop's exception handler; what asyncio says without an exception is told as it is."""
    written = begin()

    async def leave() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(loop_trouble)
        loop.call_soon(_raise, "secret")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        loop.call_exception_handler({"message": "odd"})

    asyncio.run(leave())
    first, second = written.lines()
    assert first["error"] == "ValueError"
    assert "secret" not in json.dumps(first)
    assert (second["event"], second["detail"], second["level"]) == ("loop.exception", "odd", "WARNING")


def _raise(text: str) -> None:
    raise ValueError(text)


def test_text_for_people(begin: Begin) -> None:
    """A line each; fields behind; a traceback below; nothing that a terminal would obey."""
    written = begin("text")
    ABOUT.set(Message(pet="a cat", odd="\x1b[2J"))
    log = Log(logging.getLogger("media"))
    log.info("hello\x1b[31m\nthere", images=3)
    ABOUT.set(None)
    log.info("bare")
    try:
        _raise("\x1b[0m")
    except ValueError:
        log.exception("failed")
    first, second, third, *trace = written.text().splitlines()
    assert re.fullmatch(
        r"\d\d:\d\d:\d\d\.\d{3} INFO    hello\\u001b\[31m\\u000athere  "
        r'message_id=7-0 attempt=2 correlation=job-1 pet="a cat" odd=\\u001b\[2J images=3',
        first,
    )
    assert second.endswith("INFO    bare")
    assert third.endswith("ERROR   failed")
    assert trace[0] == "Traceback (most recent call last):"
    assert trace[-1] == "ValueError: \\u001b[0m"


def test_warnings_are_lines_too(begin: Begin) -> None:
    """Nothing that Python itself prints stands between them."""
    written = begin()
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert written.line()["logger"] == "py.warnings"


def test_the_environment_sets_the_level(begin: Begin) -> None:
    """INFO when it says nothing; a word that is no level is a mistake that is told."""
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
    """After a lost lease a worker goes on under another name."""
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
    """Closed, without a reader, full: the program goes on, and ends with 0."""
    program = tmp_path / "breaks.py"
    program.write_text(BREAKS.format(breaks=breaks))
    ended = subprocess.run([sys.executable, program], stdout=subprocess.PIPE, timeout=PATIENCE, check=False)
    assert (ended.returncode, ended.stdout) == (0, b"alive\n")


def test_lines_longer_than_a_pipe_arrive_whole() -> None:
    """A write that takes only a part is followed by the rest."""
    ended = subprocess.run([sys.executable, "-c", LONG], stderr=subprocess.PIPE, timeout=PATIENCE, check=True)
    assert ended.stderr == b"x" * 300_000 + b"\n"
