"""A cancelled message ends soon, even if its handler does not cooperate."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, get_args

import pytest
from child_processes import children_of, is_alive, pool_driver, until_ended
from event_loop import until

from penstock.isolation import CancelReason, Killed, NoChildError, Returned

RunAsync = Callable[[Coroutine[Any, Any, None]], None]


@pytest.mark.parametrize("why", get_args(CancelReason))
def test_a_cooperative_handler_keeps_its_child(run_async: RunAsync, why: CancelReason) -> None:
    """The handler learns the reason, and its child runs the next message."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            task, delivery, pid = await driver.begin("wait", alone=False)
            await driver.processes.cancel(delivery.id, why)
            assert await task == Killed(why, by_force=False)
            assert is_alive(pid)
            info = await driver.do("describe", alone=False)
            assert isinstance(info, Returned)
            assert json.loads(info.result)["pid"] == pid

    run_async(scenario())


@pytest.mark.parametrize("do", ["ignore", "hold_the_gil", "leave_the_group"])
@pytest.mark.parametrize("alone", [True, False])
def test_an_uncooperative_handler_is_killed(run_async: RunAsync, do: str, *, alone: bool) -> None:
    """This includes a handler that holds the GIL and so blocks its loop. The result is Killed, not Crashed."""

    async def scenario() -> None:
        async with pool_driver(patience=0.1) as driver:
            task, delivery, pid = await driver.begin(do, alone=alone)
            await driver.processes.cancel(delivery.id, "timeout")
            assert await task == Killed("timeout", by_force=True)
            assert not is_alive(pid)
            assert isinstance(await driver.do("describe", alone=alone), Returned)

    run_async(scenario())


def test_programs_of_a_killed_handler_end(run_async: RunAsync) -> None:
    """Penstock kills them, too."""

    async def scenario() -> None:
        async with pool_driver(patience=0.1) as driver:
            task, delivery, program = await driver.begin("start_a_program", then="wait")
            await driver.processes.cancel(delivery.id, "lost")
            assert await task == Killed("lost", by_force=True)
            await until_ended(program)

    run_async(scenario())


def test_a_cancelled_handler_may_still_return(run_async: RunAsync) -> None:
    """It learns the first reason, and its result counts."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            task, delivery, _ = await driver.begin("finish_anyway")
            await driver.processes.cancel(delivery.id, "drain")
            await driver.processes.cancel(delivery.id, "lost")
            assert await task == Returned(b'{"why": "drain"}')

    run_async(scenario())


def test_cancelling_the_coroutine_waits_for_the_handler(run_async: RunAsync) -> None:
    """When the coroutine has ended, the handler has ended, too."""

    async def scenario() -> None:
        async with pool_driver(patience=0.1) as driver:
            for do in ("wait", "ignore"):
                task, _, pid = await driver.begin(do)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                if do == "ignore":
                    assert not is_alive(pid)
                await until_ended(pid)
            assert isinstance(await driver.do("describe"), Returned)

    run_async(scenario())


@pytest.mark.parametrize("alone", [True, False])
def test_a_message_can_be_cancelled_before_it_has_a_child(run_async: RunAsync, *, alone: bool) -> None:
    """Not even the fork server exists yet."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            delivery = driver.deliver("describe")
            task = asyncio.create_task(driver.run(delivery, alone=alone))
            await asyncio.sleep(0)
            await driver.processes.cancel(delivery.id, "timeout")
            assert await task == Killed("timeout", by_force=False)
            assert isinstance(await driver.do("describe", alone=alone), Returned)

    run_async(scenario())


def test_a_cancelled_run_does_not_wait_for_its_child(run_async: RunAsync) -> None:
    """A run that is cancelled before it has a child ends at once, and the new child ends unused."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            await driver.processes.start()
            task = asyncio.create_task(driver.do("describe"))
            for _ in range(3):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert isinstance(await driver.do("describe"), Returned)  # its child starts after the other
            await until(lambda: not children_of(driver.fork_server()), "both children have ended")
            assert isinstance(await driver.do("describe", alone=False), Returned)

    run_async(scenario())


def test_cancelling_an_unknown_message_does_nothing(run_async: RunAsync) -> None:
    """The message may have ended just before."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            await driver.processes.cancel(b"7-7", "timeout")
            assert isinstance(await driver.do("describe"), Returned)
            await driver.processes.cancel(b"1-0", "timeout")

    run_async(scenario())


def test_children_run_until_the_pool_closes(run_async: RunAsync, tmp_path: Path) -> None:
    """While the worker waits for them, they continue; only closing cancels them."""

    async def scenario() -> None:
        async with pool_driver(patience=0.1) as driver:
            file = tmp_path / "finish"
            task, _, _ = await driver.begin("wait_for_file", file=str(file))
            file.touch()
            assert await task == Returned(b'"seen"')
            task, _, _ = await driver.begin("wait_for_file", file="/nowhere")
            await driver.processes.close()
            assert await task == Killed("drain", by_force=True)
            with pytest.raises(NoChildError, match="the pool of children is closing"):
                await driver.do("describe")

    run_async(scenario())


def test_closing_does_not_wait_for_an_import(run_async: RunAsync, tmp_path: Path) -> None:
    """The import may hang."""
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(600)\n")

    async def scenario() -> None:
        async with pool_driver("slow:make", path=(str(tmp_path),)) as driver:
            task = asyncio.create_task(driver.do("describe"))
            starting = asyncio.create_task(driver.processes.start())
            await asyncio.sleep(0)
            await driver.processes.close()
            assert await task == Killed("drain", by_force=False)
            with pytest.raises(NoChildError, match="the pool of children is closing"):
                await starting

    run_async(scenario())
