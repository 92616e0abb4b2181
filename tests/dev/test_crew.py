"""As many processes as are wanted are kept, and one that cannot start is not started in a hurry."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from promises import keep, until

from penstock_dev.running.book import Book
from penstock_dev.running.crew import WAITS, Crew
from penstock_dev.running.member import Launch
from penstock_dev.seen import WorkerState

READY = 'print(\'{"message": "ready"}\', flush=True)\n'
STAYS = f"{READY}import signal\nsignal.pause()\n"


class Clock:
    """Moved by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def with_a_crew(
    folder: Path, code: Callable[[int], str], work: Callable[[Crew, Clock], Coroutine[Any, Any, None]]
) -> Book:
    """A crew whose process of each number runs this code."""
    book, clock = Book(), Clock()

    def launch(number: int) -> Launch:
        return Launch((sys.executable, "-c", code(number)), folder, os.environ, frozenset({"ready"}))

    async def promise() -> None:
        crew = Crew("trial", launch, book, grace=5, clock=clock)
        running = asyncio.create_task(crew.run())
        try:
            await work(crew, clock)
        finally:
            crew.end()
            await crew.leave(5)
            await running

    keep(promise())
    return book


def tried(crew: Crew, count: int) -> bool:
    """So many were started, and none is there."""
    return crew.started == count and not crew.members


def test_what_cannot_start_is_tried_more_and_more_slowly_and_told_once(tmp_path: Path) -> None:
    """One tries for all; when it is renewed, as code has changed, it is tried at once."""

    async def work(crew: Crew, clock: Clock) -> None:
        crew.want(3)
        await until(lambda: crew.trouble and not crew.members, "they have failed")
        first = crew.started
        assert first == 3
        for count in range(first + 1, first + 4):
            clock.now += WAITS[-1]
            crew.wake()
            await until(partial(tried, crew, count), "one was tried")
        before = crew.started
        crew.wake()
        crew.renew()
        await until(lambda: crew.started == before + 1, "it was tried at once")

    book = with_a_crew(tmp_path, lambda _: "print('error: no\\nhint: do', flush=True)\nraise SystemExit(2)", work)
    assert [line.text for line in book.lines if not line.worker] == ["no process can start: no; do"]


def test_a_process_that_is_lost_is_replaced_at_once_but_not_again_and_again(tmp_path: Path) -> None:
    async def work(crew: Crew, clock: Clock) -> None:
        crew.want(1)
        for count in (1, 2):
            await until(lambda: crew.ready == 1, "it is ready")
            assert crew.started == count
            crew.kill(None, {})
            await until(lambda: crew.ready == 0, "it is gone")
        await until(lambda: not crew.members, "nobody is there")
        assert crew.started == 2
        clock.now += WAITS[-1]
        crew.wake()
        await until(lambda: crew.ready == 1, "another one comes")

    with_a_crew(tmp_path, lambda _: STAYS, work)


def test_those_that_are_not_ready_leave_first_and_then_the_newest(tmp_path: Path) -> None:
    """As Kubernetes chooses."""

    async def work(crew: Crew, _: Clock) -> None:
        crew.want(2)
        await until(lambda: crew.ready == 2, "two are ready")
        oldest = crew.members[0]
        crew.want(3)
        await until(lambda: len(crew.members) == 3, "a third one starts")
        third = crew.members[2]
        crew.want(2)
        await until(lambda: third not in crew.members, "it has left")
        assert {one.state for one in crew.members} == {WorkerState.READY}
        crew.want(1)
        await until(lambda: crew.members == [oldest], "the newest has left")

    with_a_crew(tmp_path, lambda number: STAYS if number < 3 else "import signal\nsignal.pause()", work)


def test_a_folder_that_is_gone_is_told_as_a_reason(tmp_path: Path) -> None:
    async def work(crew: Crew, _: Clock) -> None:
        crew.want(1)
        await until(lambda: crew.trouble == "No such file or directory", "it is told")

    with_a_crew(tmp_path / "gone", lambda _: STAYS, work)
