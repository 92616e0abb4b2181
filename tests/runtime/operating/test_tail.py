"""`penstock tail` follows, and takes nothing."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from typing import IO

import pytest
from operator_cli import Desk
from patience import PATIENCE
from servers import Server


def follow(desk: Desk, *words: str) -> tuple[IO[str], Callable[[], tuple[str, str]]]:
    """Begin, and give its lines once it follows; and what ends it with Ctrl-C."""
    process = desk.start("tail", "trial", *words)
    assert process.stdout
    assert process.stderr
    assert process.stderr.readline() == "following `trial`; press Ctrl-C to stop\n"

    def end() -> tuple[str, str]:
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        return told

    return process.stdout, end


@pytest.mark.wire
def test_only_new_messages_are_shown(desk: Desk) -> None:
    """And Ctrl-C is no failure."""
    desk.stage.add(3)
    lines, end = follow(desk, "--json")
    for number in range(5):
        id_ = desk.ask("XADD", desk.keys.stream, "*", "data", f'{{"n": {number}, "secret": "x"}}')
        told = json.loads(lines.readline())
        assert (told["id"], told["fields"]) == (id_, {"n": number})
        assert "secret" not in str(told)
    assert end() == ("", "")


def test_it_can_start_with_existing_messages(desk: Desk) -> None:
    """The oldest of them first; then what comes."""
    ids = desk.stage.add(5)
    lines, end = follow(desk, "--json", "--last", "3")
    assert [json.loads(lines.readline())["id"] for _ in range(3)] == ids[-3:]
    [new] = desk.stage.add(1)
    assert json.loads(lines.readline())["id"] == new
    end()


def test_it_waits_for_a_missing_stream(desk: Desk) -> None:
    lines, end = follow(desk)
    desk.ask("XADD", desk.keys.stream, "*", "data", '{"n": 7, "pet": "rex"}')
    assert lines.readline().split()[2:] == ["n=7", "pet=rex"]
    end()


def test_a_group_hears_nothing_of_it(desk: Desk) -> None:
    """What is shown is still new for workers."""
    desk.stage.make()
    lines, end = follow(desk)
    ids = desk.stage.add(2)
    lines.readline()
    lines.readline()
    end()
    assert desk.stage.pending() == {}
    assert desk.stage.read(desk.stage.life()) == ids


def test_bodies_are_shown_where_that_is_asked_for(desk: Desk) -> None:
    """One that cannot be read is shown as it stands; nothing in it can move a cursor."""
    lines, end = follow(desk, "--bodies")
    desk.ask("XADD", desk.keys.stream, "*", "data", '{"secret": 42}')
    desk.ask("XADD", desk.keys.stream, "*", "data", "\x1b[2J")
    told = [lines.readline() for _ in range(5)]
    assert told[1:4] == ["  {\n", '    "secret": 42\n', "  }\n"]
    assert told[4].endswith("(its body cannot be read)\n")
    assert lines.readline() == '  data: "\\u001b[2J"\n'
    end()


@pytest.mark.wire
def test_a_lost_connection_loses_no_message(desk: Desk, server: Server) -> None:
    """What came meanwhile is shown when Redis is back."""
    process = desk.start("tail", "trial", "--json", redis=server.url)
    assert process.stdout
    assert process.stderr
    process.stderr.readline()
    first = server.ask("XADD", "trial", "*", "data", "{}")
    assert json.loads(process.stdout.readline())["id"] == first
    server.restart()
    second = server.ask("XADD", "trial", "*", "data", "{}")
    assert json.loads(process.stdout.readline())["id"] == second
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "Redis is unreachable, retrying" in err
    assert "Redis is reachable again" in err


@pytest.mark.parametrize("verb", ["tail", "peek", "status", "send"])
def test_a_missing_spec_is_reported_with_a_suggestion(desk: Desk, verb: str) -> None:
    ran = desk.penstock(verb, "trail")
    assert ran.code == 2
    assert ran.err == "error: no spec `trail`\nhint: did you mean `trial`?\n"
