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


async def pid_of(driver: PoolDriver, *, alone: bool = False) -> int:
    info = await driver.do("describe", alone=alone)
    assert isinstance(info, Returned)
    return int(json.loads(info.result)["pid"])


def test_a_child_is_reused(run_async: RunAsync) -> None:
    """Sequential messages need one child, which keeps its state."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            results = [await driver.do("describe", alone=False) for _ in range(10)]
            infos = [json.loads(one.result) for one in results if isinstance(one, Returned)]
            assert len({info["pid"] for info in infos}) == 1
            assert [info["runs"] for info in infos] == list(range(1, 11))

    run_async(scenario())


def test_the_pool_grows_to_the_number_of_concurrent_messages(run_async: RunAsync) -> None:
    """Later messages use the same children."""

    async def scenario() -> None:
        async with pool_driver() as driver:

            async def together() -> set[int]:
                running = [await driver.begin("finish_anyway", alone=False) for _ in range(4)]
                for task, delivery, _ in running:
                    await driver.processes.cancel(delivery.id, "drain")
                    assert isinstance(await task, Returned)
                return {pid for _, _, pid in running}

            first = await together()
            assert len(first) == 4
            assert await together() == first

    run_async(scenario())


def test_an_isolated_message_shares_no_child(run_async: RunAsync) -> None:
    """A suspect gets a new child, and no other message runs in it."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            pool = await pid_of(driver)
            suspects = [await pid_of(driver, alone=True) for _ in range(3)]
            assert len({pool, *suspects}) == 4
            assert await pid_of(driver) == pool
            await until_ended(*suspects)

    run_async(scenario())


@pytest.mark.parametrize("do", ["retire", "exit_at_once"])
def test_an_unusable_child_is_replaced(run_async: RunAsync, do: str) -> None:
    """It has retired itself or crashed."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            first = await pid_of(driver)
            await driver.do(do, alone=False)
            assert await pid_of(driver) != first
            await until_ended(first)

    run_async(scenario())


def test_a_child_that_dies_idle_loses_no_message(run_async: RunAsync) -> None:
    """Its death is unnoticed, half noticed, or the message is in its socket: another child gets the unread message."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            first = await pid_of(driver)
            os.kill(first, signal.SIGKILL)
            assert await pid_of(driver) != first

            second = await pid_of(driver)
            fork_server = driver.fork_server()
            os.kill(fork_server, signal.SIGSTOP)
            os.kill(second, signal.SIGKILL)
            await until(lambda: not is_alive(second), "it has ended, unreported")
            await asyncio.sleep(0.01)  # the worker notices the end of its socket
            task = asyncio.create_task(driver.do("describe", alone=False))
            await asyncio.sleep(0.01)
            os.kill(fork_server, signal.SIGCONT)
            assert isinstance(await task, Returned)

            third = await pid_of(driver)
            os.kill(third, signal.SIGSTOP)
            await until(lambda: stat_of(third)[0] == "T", "it has stopped")
            delivery = driver.deliver("describe")
            task = asyncio.create_task(driver.run(delivery, alone=False))
            await asyncio.sleep(0)  # the message is in its socket now
            os.kill(third, signal.SIGKILL)
            ended = await task
            assert isinstance(ended, Returned)
            assert json.loads(ended.result)["pid"] != third

    run_async(scenario())


def test_a_child_that_does_not_quit_is_killed(run_async: RunAsync) -> None:
    """It is stopped and does not react to the request."""

    async def scenario() -> None:
        async with pool_driver(patience=0.1) as driver:
            first = await pid_of(driver)
            os.kill(first, signal.SIGSTOP)
            await driver.processes.close()
            assert not is_alive(first)

    run_async(scenario())


def test_the_program_is_closed_when_its_child_ends(run_async: RunAsync, tmp_path: Path) -> None:
    """The program can then flush, even in the child of a suspect."""
    file = tmp_path / "closed"

    async def scenario() -> None:
        async with pool_driver(config={"closed": str(file)}) as driver:
            pids = {await pid_of(driver), await pid_of(driver, alone=True)}
            assert isinstance(await driver.do("exit_at_once"), Crashed)
            await driver.processes.close()
            assert set(map(int, file.read_text().split())) == pids

    run_async(scenario())


def test_a_resting_pool_has_no_process_and_starts_again(run_async: RunAsync) -> None:
    """The fork server and idle children end; the next message gets a new fork server."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            first = await pid_of(driver)
            server = driver.fork_server()
            await driver.processes.rest()
            await until_ended(first, server)
            await driver.processes.rest()
            assert await pid_of(driver) != first
            assert driver.fork_server() != server

    run_async(scenario())


def test_a_pool_with_a_message_does_not_rest(run_async: RunAsync) -> None:
    """The message ends as if nothing had happened."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            task, delivery, _ = await driver.begin("wait")
            await driver.processes.rest()
            assert driver.processes.prepared
            await driver.processes.cancel(delivery.id, "drain")
            assert await task == Killed("drain", by_force=False)

    run_async(scenario())


def test_a_message_runs_once_at_a_time(run_async: RunAsync) -> None:
    """Starting it a second time is a programming error."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            task, delivery, _ = await driver.begin("wait")
            with pytest.raises(RuntimeError, match="already running here"):
                await driver.run(delivery)
            await driver.processes.cancel(delivery.id, "drain")
            assert await task == Killed("drain", by_force=False)

    run_async(scenario())
