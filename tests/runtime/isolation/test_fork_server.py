"""When the fork server dies, its children survive, and a new fork server replaces it."""

from __future__ import annotations

import asyncio
import ctypes
import os
import resource
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from child_processes import PoolDriver, children_of, pool_driver, stat_of, until_ended
from event_loop import run_async as on_one_loop
from event_loop import until

from penstock.isolation import Crashed, Killed, NoChildError, Returned

RunAsync = Callable[[Coroutine[Any, Any, None]], None]
PR_SET_CHILD_SUBREAPER = 36


@contextmanager
def as_first_process() -> Iterator[None]:
    """Make this process the parent of orphans, like a worker that is PID 1 of its pod."""
    libc = ctypes.CDLL(None)
    assert libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    try:
        yield
    finally:
        libc.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


async def kill_fork_server(driver: PoolDriver) -> None:
    """Kill the fork server, and wait until the worker has noticed."""
    fork_server = driver.fork_server()
    os.kill(fork_server, signal.SIGKILL)
    await until(lambda: not stat_of(fork_server), "the fork server was reaped")


@pytest.mark.parametrize("alone", [True, False])
def test_children_survive_their_fork_server(run_async: RunAsync, *, alone: bool) -> None:
    """Running messages finish, and the next message gets a child, from the pool or a new one."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            task, delivery, _ = await driver.begin("finish_anyway", alone=alone)
            await kill_fork_server(driver)
            await driver.processes.cancel(delivery.id, "drain")
            assert isinstance(await task, Returned)
            for one in (True, False):
                assert isinstance(await driver.do("describe", alone=one), Returned)

    run_async(scenario())


def test_an_orphan_can_be_killed(run_async: RunAsync) -> None:
    """The worker kills it instead of the fork server."""

    async def scenario() -> None:
        async with pool_driver(patience=0.1) as driver:
            task, delivery, pid = await driver.begin("hold_the_gil")
            await kill_fork_server(driver)
            await driver.processes.cancel(delivery.id, "timeout")
            assert await task == Killed("timeout", by_force=True)
            await until_ended(pid)

    run_async(scenario())


def test_an_orphan_that_dies_counts_as_crashed(run_async: RunAsync) -> None:
    """Another process reaps it, so its exit code is unknown."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            task, _, pid = await driver.begin("wait")
            await kill_fork_server(driver)
            os.kill(pid, signal.SIGKILL)
            assert await task == Crashed(None, "it ended, with an unknown exit code")

    run_async(scenario())


def test_a_worker_that_is_the_first_process_reaps_orphans(run_async: RunAsync) -> None:
    """No zombie remains, and the exit code is known."""

    async def scenario() -> None:
        with as_first_process():
            async with pool_driver() as driver:
                task, _, pid = await driver.begin("wait")
                idle, delivery, other = await driver.begin("finish_anyway", alone=False)
                await kill_fork_server(driver)
                os.kill(pid, signal.SIGKILL)
                assert await task == Crashed(-signal.SIGKILL, "it was killed by SIGKILL")
                await driver.processes.cancel(delivery.id, "drain")
                await idle
                await driver.processes.close()
                assert not {pid, other} & set(children_of(os.getpid()))

    run_async(scenario())


def test_repeated_deaths_of_the_fork_server_lose_no_message(run_async: RunAsync) -> None:
    """Messages that wait for a child get one from the next fork server."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            for _ in range(5):
                await driver.processes.start()
                fork_server = driver.fork_server()
                tasks = [asyncio.create_task(driver.do("describe")) for _ in range(4)]
                await asyncio.sleep(0)
                os.kill(fork_server, signal.SIGKILL)
                assert all(isinstance(ended, Returned) for ended in await asyncio.gather(*tasks))

    run_async(scenario())


def test_a_fork_server_killed_during_its_import_is_replaced(run_async: RunAsync) -> None:
    """The cause of death is unknown, so the worker tries again."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            task = asyncio.create_task(driver.do("describe"))
            before = set(children_of(os.getpid()))
            await until(lambda: set(children_of(os.getpid())) - before or task.done(), "there is a fork server")
            for pid in set(children_of(os.getpid())) - before:
                os.kill(pid, signal.SIGKILL)
            assert isinstance(await task, Returned)

    run_async(scenario())


def test_a_stuck_fork_server_is_replaced(run_async: RunAsync) -> None:
    """It does not react to a request to kill a child."""

    async def scenario() -> None:
        async with pool_driver(patience=0.1) as driver:
            task, delivery, pid = await driver.begin("hold_the_gil")
            fork_server = driver.fork_server()
            os.kill(fork_server, signal.SIGSTOP)
            await driver.processes.cancel(delivery.id, "timeout")
            assert await task == Killed("timeout", by_force=True)
            await until_ended(fork_server, pid)
            assert isinstance(await driver.do("describe"), Returned)

    run_async(scenario())


def test_a_system_that_refuses_processes_loses_no_message(run_async: RunAsync) -> None:
    """The message did not start, and the error names the cause."""

    async def scenario() -> None:
        async with pool_driver("refuse_forks:make") as driver:
            with pytest.raises(NoChildError, match=r"^no process could be started: Resource temporarily unavailable$"):
                await driver.do("describe")

    run_async(scenario())


def test_a_worker_at_its_limit_of_files_loses_no_message() -> None:
    """When files are available again, the next message runs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    async def scenario() -> None:
        async with pool_driver() as driver:
            for _ in range(2):
                resource.setrlimit(resource.RLIMIT_NOFILE, (1, hard))
                with pytest.raises(NoChildError, match=r"^no process could be started: Too many open files$"):
                    await driver.do("describe")
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
                assert isinstance(await driver.do("describe"), Returned)

    try:
        on_one_loop(scenario())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_there_is_one_fork_server_for_concurrent_messages(run_async: RunAsync) -> None:
    """All messages wait for its start."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            await asyncio.gather(
                *(driver.processes.start() for _ in range(5)), driver.do("describe"), driver.do("describe")
            )
            assert driver.fork_server() in children_of(os.getpid())

    run_async(scenario())
