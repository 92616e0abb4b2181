"""What comes back from a child is what its work has said."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from offspring import WORKS, family

from penstock.handling.failures import Failure
from penstock.isolation import ProgressReport, Returned, RunRequest, RunResult

Keep = Callable[[Coroutine[Any, Any, None]], None]


def said(ended: RunResult) -> Any:  # noqa: ANN401 - what the work has said, in JSON
    assert isinstance(ended, Returned), ended
    return json.loads(ended.result)


def test_a_message_runs_in_another_process(keep: Keep) -> None:
    """The worker's process imports nothing of the handler, and runs nothing of it."""

    async def promise() -> None:
        async with family(config={"name": "é"}) as it:
            who = said(await it.do("who"))
            assert who["pid"] not in {os.getpid(), it.fork_server()}
            assert who["config"] == {"name": "é"}

    keep(promise())


@pytest.mark.parametrize("size", [0, 1, 65536, 1 << 20])
def test_bodies_arrive_byte_for_byte(keep: Keep, size: int) -> None:
    """Empty, binary and large values, and names that are no text."""

    async def promise() -> None:
        every = bytes(range(256)) * (size // 256 + 1)
        fields = ((b"do", b"echo"), (b"", b""), (b"\xff\x00", every[:size]), (b"same", b"1"), (b"same", b"2"))
        async with family() as it:
            ended = await it.run(RunRequest(b"\xff-0", fields, 1, 1, "me"))
            assert isinstance(ended, Returned)
            assert ended.result == b"".join(b"%d:%s," % (len(part), part) for field in fields for part in field)

    keep(promise())


def test_five_thousand_fields_arrive(keep: Keep) -> None:
    """More than a script could pass."""

    async def promise() -> None:
        fields = ((b"do", b"echo"), *((b"%d" % number, b"") for number in range(5000)))
        async with family() as it:
            ended = await it.run(RunRequest(b"1-0", fields, 1, 1, "me"))
            assert isinstance(ended, Returned)
            assert ended.result.count(b"0:,") == 5000

    keep(promise())


def test_all_of_a_delivery_arrives(keep: Keep) -> None:
    """The fence may be as large as a number of Redis; of the deadline less is left."""

    async def promise() -> None:
        fence = (1 << 63) - 1
        async with family() as it:
            got = said(await it.run(RunRequest(b"5-1", ((b"do", b"repeat"),), 3, fence, "w é", 600.0)))
            assert 0 < got.pop("seconds_left") < 600
            assert got == {
                "id": "5-1",
                "attempt": 3,
                "fence": fence,
                "consumer": "w é",
            }
            assert said(await it.run(RunRequest(b"5-1", ((b"do", b"repeat"),), 3, 1, "w")))["seconds_left"] is None

    keep(promise())


def test_progress_is_told_before_the_outcome(keep: Keep) -> None:
    """In order, from any thread."""

    async def promise() -> None:
        async with family() as it:
            delivery = it.deliver("tell")
            assert said(await it.run(delivery)) == "told"
            assert it.told == [ProgressReport(delivery.id, told) for told in ({"done": 1, "of": 3}, "two", [3])]

    keep(promise())


def test_a_failure_is_told_with_all_that_chooses_its_retries(keep: Keep) -> None:
    """Types and status, without the exception itself."""

    async def promise() -> None:
        async with family() as it:
            failed = await it.do("refuse")
            types = ("doing.TooManyRequests", "builtins.Exception", "builtins.BaseException")
            assert failed == Failure(types, 429, "slow down")

    keep(promise())


@pytest.mark.parametrize("do", ["leave_by_name", "leave_in_a_task"])
def test_a_handler_that_leaves_by_name_has_failed(keep: Keep, do: str) -> None:
    """`sys.exit` is an exception like others; the child goes on."""

    async def promise() -> None:
        async with family() as it:
            before = said(await it.do("who", alone=False))["pid"]
            failed = await it.do(do, alone=False)
            assert isinstance(failed, Failure)
            assert failed.error == "SystemExit: no more"
            assert said(await it.do("who", alone=False))["pid"] == before

    keep(promise())


def test_a_cancellation_that_nobody_asked_for_is_a_failure(keep: Keep) -> None:
    """Something in the handler was cancelled, and not by us."""

    async def promise() -> None:
        async with family() as it:
            failed = await it.do("cancel_itself")
            assert isinstance(failed, Failure)
            assert failed.types[0] == "asyncio.exceptions.CancelledError"

    keep(promise())


def test_children_write_where_the_worker_writes(capfd: pytest.CaptureFixture[str], keep: Keep) -> None:
    """Once each, and nothing of ours beside it."""

    async def promise() -> None:
        async with family() as it:
            assert said(await it.do("say_aloud")) is None

    keep(promise())
    assert capfd.readouterr() == ("out of the child\n", "err of the child\n")


def test_what_is_printed_by_an_import_is_printed_once(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forks would otherwise each write what stands in the buffer."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    (tmp_path / "loud.py").write_text("from doing import make\nprint('imported')\n")

    async def promise() -> None:
        async with family("loud:make", path=(str(tmp_path), WORKS)) as it:
            for _ in range(3):
                assert isinstance(await it.do("who"), Returned)

    keep(promise())
    assert capfd.readouterr() == ("imported\n", "")


def test_a_flood_of_progress_arrives_whole_and_in_order(keep: Keep) -> None:
    """More than a socket holds, while the loop of the child is blocked, from two threads."""

    async def promise() -> None:
        async with family() as it:
            assert said(await it.do("flood")) == 2000
            told = [progress.told for progress in it.told]
            assert [one for one in told if isinstance(one, list) and one[0] == 1] == [
                [1, n, "x" * 1000] for n in range(1000)
            ]
            assert len(told) == 2000

    keep(promise())


def test_messages_and_results_may_both_be_large(keep: Keep) -> None:
    """Neither end waits for the other to read."""

    async def promise() -> None:
        fields = ((b"do", b"echo"), (b"big", bytes(16 << 20)))
        async with family() as it:
            deliveries = [RunRequest(b"%d-0" % n, fields, 1, 1, "me") for n in range(3)]
            for ended in await asyncio.gather(*(it.run(one, alone=False) for one in deliveries)):
                assert isinstance(ended, Returned)
                assert len(ended.result) > 16 << 20

    keep(promise())


def test_what_is_told_late_is_told_of_nobody(keep: Keep) -> None:
    """A message is over; what its threads still tell is not taken for another's, and does no harm."""

    async def promise() -> None:
        async with family() as it:
            late = it.deliver("tell_late")
            assert said(await it.run(late, alone=False)) is None
            for _ in range(20):
                assert said(await it.do("tell", alone=False)) == "told"
            assert all(one.delivery == late.id for one in it.told if isinstance(one.told, list) and len(one.told) == 2)

    keep(promise())


def test_programs_of_a_handler_inherit_no_file(keep: Keep) -> None:
    """Nothing of ours is open in them, though they are started without a care."""

    async def promise() -> None:
        async with family() as it:
            assert said(await it.do("list_files")) == ["0", "1", "2", "3"]  # the last is the listing itself

    keep(promise())


def test_signals_in_a_child_are_its_own(capfd: pytest.CaptureFixture[str], keep: Keep) -> None:
    """The fork server is woken by signals through a file; a child has another file under that number."""

    async def promise() -> None:
        async with family() as it:
            assert said(await it.do("hear_signals")) == []

    keep(promise())
    assert capfd.readouterr() == ("", "")


def test_a_child_is_a_process_like_others(keep: Keep) -> None:
    """A handler runs programs on its loop, and functions in threads."""

    async def promise() -> None:
        async with family() as it:
            assert said(await it.do("use_the_loop")) == [3, True]

    keep(promise())
