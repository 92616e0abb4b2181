"""Children of the pool run message after message, until there is a reason to end them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from child_processes import PoolDriver, is_alive, pool_driver, stat_of, until_ended
from event_loop import until

from penstock.isolation import Crashed, Killed, Returned

RunAsync = Callable[[Coroutine[Any, Any, None]], None]


async def pid_of(it: PoolDriver, *, alone: bool = False) -> int:
    who = await it.do("who", alone=alone)
    assert isinstance(who, Returned)
    return int(json.loads(who.result)["pid"])


def test_a_child_is_used_again(run_async: RunAsync) -> None:
    """Sequential messages need one child, which keeps its state."""

    async def scenario() -> None:
        async with pool_driver() as it:
            told = [await it.do("who", alone=False) for _ in range(10)]
            whos = [json.loads(one.result) for one in told if isinstance(one, Returned)]
            assert len({who["pid"] for who in whos}) == 1
            assert [who["runs"] for who in whos] == list(range(1, 11))

    run_async(scenario())


def test_the_pool_has_as_many_children_as_messages_run_at_once(run_async: RunAsync) -> None:
    """And no more when the next ones come."""

    async def scenario() -> None:
        async with pool_driver() as it:

            async def together() -> set[int]:
                begun = [await it.begin("finish_anyway", alone=False) for _ in range(4)]
                for task, delivery, _ in begun:
                    await it.processes.cancel(delivery.id, "drain")
                    assert isinstance(await task, Returned)
                return {pid for _, _, pid in begun}

            first = await together()
            assert len(first) == 4
            assert await together() == first

    run_async(scenario())


def test_an_isolated_message_shares_no_child(run_async: RunAsync) -> None:
    """A suspect gets a new child, and no other message gets the suspect's."""

    async def scenario() -> None:
        async with pool_driver() as it:
            pool = await pid_of(it)
            suspects = [await pid_of(it, alone=True) for _ in range(3)]
            assert len({pool, *suspects}) == 4
            assert await pid_of(it) == pool
            await until_ended(*suspects)

    run_async(scenario())


@pytest.mark.parametrize("do", ["be_the_last", "leave_at_once"])
def test_an_unusable_child_is_replaced(run_async: RunAsync, do: str) -> None:
    """It retired itself, or has crashed."""

    async def scenario() -> None:
        async with pool_driver() as it:
            first = await pid_of(it)
            await it.do(do, alone=False)
            assert await pid_of(it) != first
            await until_ended(first)

    run_async(scenario())


def test_a_child_that_dies_idle_loses_no_message(run_async: RunAsync) -> None:
    """Unnoticed, half noticed, or with the message in its socket: another child gets what it has not read."""

    async def scenario() -> None:
        async with pool_driver() as it:
            first = await pid_of(it)
            os.kill(first, signal.SIGKILL)
            assert await pid_of(it) != first

            second = await pid_of(it)
            fork_server = it.fork_server()
            os.kill(fork_server, signal.SIGSTOP)
            os.kill(second, signal.SIGKILL)
            await until(lambda: not is_alive(second), "it has ended, unreported")
            await asyncio.sleep(0.01)  # the end of its socket is heard
            task = asyncio.create_task(it.do("who", alone=False))
            await asyncio.sleep(0.01)
            os.kill(fork_server, signal.SIGCONT)
            assert isinstance(await task, Returned)

            third = await pid_of(it)
            os.kill(third, signal.SIGSTOP)
            await until(lambda: stat_of(third)[0] == "T", "it has stopped")
            delivery = it.deliver("who")
            task = asyncio.create_task(it.run(delivery, alone=False))
            await asyncio.sleep(0)  # the message is in its socket now
            os.kill(third, signal.SIGKILL)
            ended = await task
            assert isinstance(ended, Returned)
            assert json.loads(ended.result)["pid"] != third

    run_async(scenario())


def test_a_child_that_does_not_end_is_killed(run_async: RunAsync) -> None:
    """It was told to quit."""

    async def scenario() -> None:
        async with pool_driver(patience=0.1) as it:
            first = await pid_of(it)
            os.kill(first, signal.SIGSTOP)
            await it.processes.close()
            assert not is_alive(first)

    run_async(scenario())


def test_the_program_is_closed_when_its_child_ends(run_async: RunAsync, tmp_path: Path) -> None:
    """So that it can flush; also the program of a suspect's child."""
    file = tmp_path / "closed"

    async def scenario() -> None:
        async with pool_driver(config={"closed": str(file)}) as it:
            pids = {await pid_of(it), await pid_of(it, alone=True)}
            assert isinstance(await it.do("leave_at_once"), Crashed)
            await it.processes.close()
            assert set(map(int, file.read_text().split())) == pids

    run_async(scenario())


def test_a_message_runs_once_at_a_time(run_async: RunAsync) -> None:
    """Starting it a second time is a programming error."""

    async def scenario() -> None:
        async with pool_driver() as it:
            task, delivery, _ = await it.begin("wait")
            with pytest.raises(RuntimeError, match="running here already"):
                await it.run(delivery)
            await it.processes.cancel(delivery.id, "drain")
            assert await task == Killed("drain", by_force=False)

    run_async(scenario())
