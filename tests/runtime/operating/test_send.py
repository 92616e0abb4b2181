"""`penstock send` sends like every producer and reports the outcome of each message."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from collections.abc import Callable

import pytest
from faulty_connection import Cable
from operator_cli import OperatorCli
from patience import PATIENCE
from pipeline_driver import PipelineDriver
from servers import Server

from penstock.embedded import free_port
from penstock.message.ulid import is_ulid

SCHEMA = "{type: object, required: [n], properties: {n: {type: integer}, text: {type: string}}}"


@pytest.fixture
def cli(make_cli: Callable[..., OperatorCli]) -> OperatorCli:
    """The command, on a pipeline with a schema that deduplicates by `n`."""
    return make_cli(f"message: {{schema: {SCHEMA}, correlate: n, dedup: {{by: n, window: 1h}}, max_size: 1Ki}}")


def piped(cli: OperatorCli, text: str, *options: str) -> tuple[int, str, str]:
    """Run it with standard input from a pipe."""
    process = cli.start("send", "trial", *options, stdin=subprocess.PIPE)
    out, err = process.communicate(text, timeout=PATIENCE)
    return process.returncode, out, err


@pytest.mark.wire
def test_a_sent_message_is_in_the_stream_and_its_id_is_printed(cli: OperatorCli) -> None:
    ran = cli.penstock("send", "trial", '{"n": 1}')
    assert (ran.code, ran.err) == (0, "")
    assert is_ulid(ran.out.strip())
    [fields] = cli.entries()
    assert fields[:4] == ["data", '{"n": 1}', "penstock-id", ran.out.strip()]


def test_json_has_all_fields_of_an_outcome(cli: OperatorCli) -> None:
    [outcome] = cli.penstock("send", "trial", '{"n": 1}', "--json").objects
    assert outcome == {
        "outcome": "sent", "id": outcome["id"], "entry": cli.driver.entries()[0], "due": None, "correlation": "1",
        "dropped": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('{"n": "x"}', "expected integer"),
        ("{}", "`n` is missing"),
        ("nope", "line 1 column 2"),
        ("", "the body is empty"),
        ("[]", "a list"),
        ('{"n": 1, "text": "%s"}' % ("x" * 2000), "1Ki"),
    ],
)
def test_invalid_messages_are_not_sent(cli: OperatorCli, body: str, problem: str) -> None:
    """They are checked before Redis is contacted, and not quoted."""
    ran = cli.penstock("send", "trial", body)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("not sent: ")
    assert problem in ran.err
    assert "xxx" not in ran.err
    assert cli.driver.number("EXISTS", cli.keys.stream) == 0
    [outcome] = cli.penstock("send", "trial", body, "--json").objects
    assert outcome["outcome"] == "not-sent"


def test_a_body_that_is_not_json_gets_an_example(cli: OperatorCli) -> None:
    """Usually the shell removed the quotes, or the names have none."""
    ran = cli.penstock("send", "trial", "{n: 1}")
    assert ran.err.splitlines() == [
        "not sent: the body is not valid JSON (key must be a string, line 1 column 2)",
        """hint: write it as '{"name": "world"}': names and texts in double quotes, and all of it in single quotes""",
    ]


@pytest.mark.parametrize("options", [[], ["-"]])
def test_standard_input_is_one_message(cli: OperatorCli, options: list[str]) -> None:
    """It may span several lines."""
    code, out, err = piped(cli, '{\n"n":\n5}\n', *options)
    assert (code, err) == (0, "")
    assert is_ulid(out.strip())
    [fields] = cli.entries()
    assert json.loads(fields[1]) == {"n": 5}


def test_each_line_is_a_message(cli: OperatorCli) -> None:
    """They are sent in order; an invalid line is reported with its number and stops no other."""
    code, out, err = piped(cli, '{"n": 1}\n\n{"n": "x"}\nnope\n{"n": 2}', "--lines")
    assert code == 1
    assert [json.loads(fields[1])["n"] for fields in cli.entries()] == [1, 2]
    assert len(out.splitlines()) == 2
    assert [line.partition(": ")[0] for line in err.splitlines()] == ["line 3", "line 4"]
    code, out, _ = piped(cli, '{"n": 3}\n{"n": 1}\n{}\n', "--lines", "--json")
    outcomes = [json.loads(line) for line in out.splitlines()]
    assert [(one["line"], one["outcome"]) for one in outcomes] == [(1, "sent"), (2, "duplicate"), (3, "not-sent")]
    assert code == 1


def test_the_exit_code_tells_nothing_sent_from_some_not_sent(cli: OperatorCli) -> None:
    """0: all are sent, or duplicates; 1: some are not; 2: none is, as for other verbs that could do nothing."""
    codes = {"": 0, '{"n": 1}\n': 0, '{"n": 1}\n{}\n': 1, "{}\nnope\n": 2}
    assert {text: piped(cli, text, "--lines")[0] for text in codes} == codes


def test_many_lines_keep_their_order(cli: OperatorCli) -> None:
    code, out, _ = piped(cli, "".join(f'{{"n": {n}}}\n' for n in range(5000)), "--lines")
    assert code == 0
    assert [json.loads(fields[1])["n"] for fields in cli.entries()] == list(range(5000))
    assert len(set(out.split())) == 5000


def test_each_line_is_sent_immediately(cli: OperatorCli) -> None:
    """A slow writer need not end its input first."""
    process = cli.start("send", "trial", "--lines", stdin=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    for number in range(3):
        process.stdin.write(f'{{"n": {number}}}\n')
        process.stdin.flush()
        assert is_ulid(process.stdout.readline().strip())
    process.communicate()
    assert process.returncode == 0


def test_ctrl_c_ends_typed_input(cli: OperatorCli) -> None:
    """At a terminal it prompts for the input; Ctrl-C stops it at once."""
    outside, inside = pty.openpty()
    process = cli.start("send", "trial", stdin=inside)
    os.close(inside)
    assert process.stderr
    assert process.stderr.readline() == "enter a JSON object, then Ctrl-D:\n"
    process.send_signal(2)
    assert process.wait(PATIENCE) == 130
    process.communicate()
    os.close(outside)


def test_a_duplicate_is_reported_without_failure(cli: OperatorCli) -> None:
    """It prints the id of the first message."""
    first = cli.penstock("send", "trial", '{"n": 1}')
    ran = cli.penstock("send", "trial", '{"n": 1}')
    assert (ran.code, ran.out) == (0, first.out)
    assert ran.err.startswith("duplicate of this message")
    assert len(cli.entries()) == 1


def test_the_key_option_replaces_the_deduplication_field(cli: OperatorCli) -> None:
    outcomes = [
        cli.penstock("send", "trial", f'{{"n": {n}}}', "--key", key, "--json").objects[0]["outcome"]
        for n, key in ((1, "a"), (1, "b"), (2, "a"))
    ]
    assert outcomes == ["sent", "sent", "duplicate"]


@pytest.mark.parametrize("options", [["--delay", "1h"], ["--at", "2099-01-31T08:00:00Z"]])
@pytest.mark.wire
def test_delay_and_at_delay_the_message(cli: OperatorCli, options: list[str]) -> None:
    ran = cli.penstock("send", "trial", '{"n": 1}', *options)
    assert ran.code == 0
    assert ran.err.startswith("due at ")
    assert cli.driver.number("ZCARD", cli.keys.delayed) == 1
    assert cli.entries() == []


def test_a_full_backlog_is_reported(make_cli: Callable[..., OperatorCli]) -> None:
    cli = make_cli(
        "stream: {key: trial, group: trial, backlog: {limit: 1}}\n"
        "message: {}\nwork: {concurrency: 1}\nscaling: {replicas: {max: 1}}"
    )
    cli.penstock("send", "trial", "{}")
    ran = cli.penstock("send", "trial", "{}")
    assert ran.code == 2
    assert "`stream.backlog.limit`" in ran.err
    [outcome] = cli.penstock("send", "trial", "{}", "--json").objects
    assert (outcome["outcome"], outcome["reason"]) == ("not-sent", "rejected")


def test_a_send_without_a_reply_is_unknown(make_cli: Callable[..., OperatorCli], server: Server) -> None:
    """Not failed: Redis may have stored the message, and here it did."""
    cli = make_cli("message: {}\nsend: {attempts: 1}")
    with Cable(server.port) as cable:
        url = f"redis://{cable.address}"
        process = cli.start("send", "trial", "--lines", "--json", redis=url, stdin=subprocess.PIPE)
        assert process.stdin
        assert process.stdout
        process.stdin.write("{}\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["outcome"] == "sent"
        cable.lose_answers()
        out, _ = process.communicate("{}\n", timeout=PATIENCE)
    assert process.returncode == 1
    outcome = json.loads(out)
    assert (outcome["line"], outcome["outcome"]) == (2, "unknown")
    assert "may have been sent" in outcome["error"]
    assert len(PipelineDriver(server, "").entries()) == 2


def test_an_unreachable_redis_is_one_line_and_a_hint(make_cli: Callable[..., OperatorCli]) -> None:
    """It sends nothing and logs nothing."""
    cli = make_cli("message: {}\nsend: {attempts: 1}")
    ran = cli.penstock("send", "trial", "{}", redis=f"redis://127.0.0.1:{free_port()}")
    assert (ran.code, ran.out) == (2, "")
    line, hint = ran.err.splitlines()
    assert line.startswith("not sent: no connection to ")
    assert hint == (
        "hint: check that it runs and accepts connections from here; `--redis URL` uses another one, "
        "`--embedded` the repository's own"
    )


def test_the_hint_is_printed_once(make_cli: Callable[..., OperatorCli]) -> None:
    """For any number of messages, and for refused commands; invalid messages have no hint."""
    cli = make_cli("message: {}\nsend: {attempts: 1}")
    url = f"redis://127.0.0.1:{free_port()}"
    process = cli.start("send", "trial", "--lines", redis=url, stdin=subprocess.PIPE)
    _, err = process.communicate("{}\n{}\n{}\nnope\n", timeout=PATIENCE)
    assert [line.partition(": ")[0] for line in err.splitlines()] == ["line 1", "line 2", "line 3", "line 4", "hint"]
    cli.ask("SET", cli.keys.stream, "no stream")
    _, hint = cli.penstock("send", "trial", "{}").err.splitlines()
    assert hint.startswith("hint: one of the pipeline's keys has another type")


@pytest.mark.parametrize(
    "options",
    [
        ["{}", "--lines"],
        ["--lines", "--key", "a"],
        ["{}", "--delay", "1s", "--at", "2099-01-31T08:00:00Z"],
        ["{}", "--at", "2099-01-31T08:00:00"],
        ["{}", "--at", "tomorrow"],
        ["{}", "--delay", "5"],
    ],
)
def test_contradictory_options_are_refused(cli: OperatorCli, options: list[str]) -> None:
    ran = cli.penstock("send", "trial", *options)
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 2


def test_a_key_needs_deduplication(make_cli: Callable[..., OperatorCli]) -> None:
    ran = make_cli("message: {}").penstock("send", "trial", "{}", "--key", "a")
    assert ran.code == 2
    assert "`--key` needs `message.dedup` in the spec" in ran.err
