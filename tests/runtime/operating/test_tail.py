"""`penstock tail` follows a stream and takes no message."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from typing import IO

import pytest
from operator_cli import OperatorCli
from patience import PATIENCE
from servers import Server


def follow(cli: OperatorCli, *options: str) -> tuple[IO[str], Callable[[], tuple[str, str]]]:
    """Start it; return its lines, and a function that ends it with Ctrl-C."""
    process = cli.start("tail", "trial", *options)
    assert process.stdout
    assert process.stderr
    assert process.stderr.readline() == "following `trial`; press Ctrl-C to stop\n"

    def end() -> tuple[str, str]:
        process.send_signal(signal.SIGINT)
        outputs = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        return outputs

    return process.stdout, end


@pytest.mark.wire
def test_only_new_messages_are_shown(cli: OperatorCli) -> None:
    """Ctrl-C is no failure."""
    cli.driver.add(3)
    lines, end = follow(cli, "--json")
    for number in range(5):
        id_ = cli.ask("XADD", cli.keys.stream, "*", "data", f'{{"n": {number}, "secret": "x"}}')
        message = json.loads(lines.readline())
        assert (message["id"], message["fields"]) == (id_, {"n": number})
        assert "secret" not in str(message)
    assert end() == ("", "")


def test_it_can_start_with_existing_messages(cli: OperatorCli) -> None:
    """The oldest of them first, then the new ones."""
    ids = cli.driver.add(5)
    lines, end = follow(cli, "--json", "--last", "3")
    assert [json.loads(lines.readline())["id"] for _ in range(3)] == ids[-3:]
    [new] = cli.driver.add(1)
    assert json.loads(lines.readline())["id"] == new
    end()


def test_it_waits_for_a_missing_stream(cli: OperatorCli) -> None:
    lines, end = follow(cli)
    cli.ask("XADD", cli.keys.stream, "*", "data", '{"n": 7, "pet": "rex"}')
    assert lines.readline().split()[2:] == ["n=7", "pet=rex"]
    end()


def test_it_reads_outside_the_group(cli: OperatorCli) -> None:
    """Messages that it shows are still new for workers."""
    cli.driver.create_group()
    lines, end = follow(cli)
    ids = cli.driver.add(2)
    lines.readline()
    lines.readline()
    end()
    assert cli.driver.pending() == {}
    assert cli.driver.read(cli.driver.join_group()) == ids


def test_the_bodies_option_shows_bodies(cli: OperatorCli) -> None:
    """An unreadable body is shown escaped, so that it cannot move the cursor."""
    lines, end = follow(cli, "--bodies")
    cli.ask("XADD", cli.keys.stream, "*", "data", '{"secret": 42}')
    cli.ask("XADD", cli.keys.stream, "*", "data", "\x1b[2J")
    lines_shown = [lines.readline() for _ in range(5)]
    assert lines_shown[1:4] == ["  {\n", '    "secret": 42\n', "  }\n"]
    assert lines_shown[4].endswith("(its body cannot be read)\n")
    assert lines.readline() == '  data: "\\u001b[2J"\n'
    end()


@pytest.mark.wire
def test_a_lost_connection_loses_no_message(cli: OperatorCli, server: Server) -> None:
    """Messages sent during the outage are shown when Redis is back."""
    process = cli.start("tail", "trial", "--json", redis=server.url)
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
def test_a_missing_spec_is_reported_with_a_suggestion(cli: OperatorCli, verb: str) -> None:
    ran = cli.penstock(verb, "trail")
    assert ran.code == 2
    assert ran.err == "error: no spec `trail`\nhint: did you mean `trial`?\n"
