"""A child returns exactly what its program returned."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from child_processes import PROGRAMS, pool_driver

from penstock.handling.failures import Failure
from penstock.isolation import ProgressReport, Returned, RunRequest, RunResult

RunAsync = Callable[[Coroutine[Any, Any, None]], None]


def result_of(ended: RunResult) -> Any:  # noqa: ANN401 - any JSON
    """Return the result of the program, decoded from JSON."""
    assert isinstance(ended, Returned), ended
    return json.loads(ended.result)


def test_a_message_runs_in_another_process(run_async: RunAsync) -> None:
    """The process of the worker neither imports nor runs the handler."""

    async def scenario() -> None:
        async with pool_driver(config={"name": "é"}) as driver:
            info = result_of(await driver.do("describe"))
            assert info["pid"] not in {os.getpid(), driver.fork_server()}
            assert info["config"] == {"name": "é"}

    run_async(scenario())


@pytest.mark.parametrize("size", [0, 1, 65536, 1 << 20])
def test_bodies_arrive_byte_for_byte(run_async: RunAsync, size: int) -> None:
    """Values may be empty, binary or large, and names need not be text."""

    async def scenario() -> None:
        every = bytes(range(256)) * (size // 256 + 1)
        fields = ((b"do", b"echo"), (b"", b""), (b"\xff\x00", every[:size]), (b"same", b"1"), (b"same", b"2"))
        async with pool_driver() as driver:
            ended = await driver.run(RunRequest(b"\xff-0", fields, 1, 1, "me"))
            assert isinstance(ended, Returned)
            assert ended.result == b"".join(b"%d:%s," % (len(part), part) for field in fields for part in field)

    run_async(scenario())


def test_five_thousand_fields_arrive(run_async: RunAsync) -> None:
    """A Lua script can pass fewer."""

    async def scenario() -> None:
        fields = ((b"do", b"echo"), *((b"%d" % number, b"") for number in range(5000)))
        async with pool_driver() as driver:
            ended = await driver.run(RunRequest(b"1-0", fields, 1, 1, "me"))
            assert isinstance(ended, Returned)
            assert ended.result.count(b"0:,") == 5000

    run_async(scenario())


def test_a_delivery_arrives_completely(run_async: RunAsync) -> None:
    """The fence may be as large as Redis allows; the time left is shorter than at the start."""

    async def scenario() -> None:
        fence = (1 << 63) - 1
        async with pool_driver() as driver:
            received = result_of(
                await driver.run(RunRequest(b"5-1", ((b"do", b"return_request"),), 3, fence, "w é", 600.0))
            )
            assert 0 < received.pop("seconds_left") < 600
            assert received == {
                "id": "5-1",
                "attempt": 3,
                "fence": fence,
                "consumer": "w é",
            }
            assert (
                result_of(await driver.run(RunRequest(b"5-1", ((b"do", b"return_request"),), 3, 1, "w")))[
                    "seconds_left"
                ]
                is None
            )

    run_async(scenario())


def test_progress_arrives_before_the_result(run_async: RunAsync) -> None:
    """Reports arrive in order, from any thread."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            delivery = driver.deliver("report")
            assert result_of(await driver.run(delivery)) == "reported"
            assert driver.reports == [
                ProgressReport(delivery.id, value) for value in ({"done": 1, "of": 3}, "two", [3])
            ]

    run_async(scenario())


def test_a_failure_carries_types_and_status(run_async: RunAsync) -> None:
    """Retries depend on them; the exception itself stays in the child."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            failed = await driver.do("raise_429")
            types = ("actions.TooManyRequests", "builtins.Exception", "builtins.BaseException")
            assert failed == Failure(types, 429, "slow down")

    run_async(scenario())


@pytest.mark.parametrize("do", ["call_sys_exit", "call_sys_exit_in_a_task"])
def test_sys_exit_in_a_handler_is_a_failure(run_async: RunAsync, do: str) -> None:
    """`sys.exit` is an exception like others; the child keeps running."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            before = result_of(await driver.do("describe", alone=False))["pid"]
            failed = await driver.do(do, alone=False)
            assert isinstance(failed, Failure)
            assert failed.error == "SystemExit: no more"
            assert result_of(await driver.do("describe", alone=False))["pid"] == before

    run_async(scenario())


def test_an_unrequested_cancellation_is_a_failure(run_async: RunAsync) -> None:
    """Something in the handler was cancelled, but not by Penstock."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            failed = await driver.do("cancel_itself")
            assert isinstance(failed, Failure)
            assert failed.types[0] == "asyncio.exceptions.CancelledError"

    run_async(scenario())


def test_children_share_the_output_of_the_worker(capfd: pytest.CaptureFixture[str], run_async: RunAsync) -> None:
    """Each line appears once, and Penstock adds nothing."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            assert result_of(await driver.do("print_lines")) is None

    run_async(scenario())
    assert capfd.readouterr() == ("out of the child\n", "err of the child\n")


def test_output_of_an_import_appears_once(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, run_async: RunAsync, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise, each fork would write the content of the buffer."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    (tmp_path / "loud.py").write_text("from actions import make\nprint('imported')\n")

    async def scenario() -> None:
        async with pool_driver("loud:make", path=(str(tmp_path), PROGRAMS)) as driver:
            for _ in range(3):
                assert isinstance(await driver.do("describe"), Returned)

    run_async(scenario())
    assert capfd.readouterr() == ("imported\n", "")


def test_a_flood_of_progress_arrives_completely_and_in_order(run_async: RunAsync) -> None:
    """Two threads report more than a socket holds, while the loop of the child is blocked."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            assert result_of(await driver.do("flood")) == 2000
            values = [progress.value for progress in driver.reports]
            assert [one for one in values if isinstance(one, list) and one[0] == 1] == [
                [1, n, "x" * 1000] for n in range(1000)
            ]
            assert len(values) == 2000

    run_async(scenario())


def test_messages_and_results_may_both_be_large(run_async: RunAsync) -> None:
    """Neither end waits for the other to read."""

    async def scenario() -> None:
        fields = ((b"do", b"echo"), (b"big", bytes(16 << 20)))
        async with pool_driver() as driver:
            deliveries = [RunRequest(b"%d-0" % n, fields, 1, 1, "me") for n in range(3)]
            for ended in await asyncio.gather(*(driver.run(one, alone=False) for one in deliveries)):
                assert isinstance(ended, Returned)
                assert len(ended.result) > 16 << 20

    run_async(scenario())


def test_late_progress_belongs_to_no_other_message(run_async: RunAsync) -> None:
    """Threads of an ended message still report progress; no other message gets it, and it does no harm."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            late = driver.deliver("report_late")
            assert result_of(await driver.run(late, alone=False)) is None
            for _ in range(20):
                assert result_of(await driver.do("report", alone=False)) == "reported"
            reports = [one for one in driver.reports if isinstance(one.value, list) and len(one.value) == 2]
            assert all(one.delivery == late.id for one in reports)

    run_async(scenario())


def test_programs_of_a_handler_inherit_no_file(run_async: RunAsync) -> None:
    """Not even `close_fds=False` passes on a file of Penstock."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            assert result_of(await driver.do("list_files")) == ["0", "1", "2", "3"]  # the last is the listing itself

    run_async(scenario())


def test_signals_in_a_child_write_to_no_file(capfd: pytest.CaptureFixture[str], run_async: RunAsync) -> None:
    """The fork server wakes on signals through a file; a child has another file under that number."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            assert result_of(await driver.do("check_signals")) == []

    run_async(scenario())
    assert capfd.readouterr() == ("", "")


def test_a_child_is_an_ordinary_process(run_async: RunAsync) -> None:
    """A handler can run programs on its loop, and functions in threads."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            assert result_of(await driver.do("use_the_loop")) == [3, True]

    run_async(scenario())
