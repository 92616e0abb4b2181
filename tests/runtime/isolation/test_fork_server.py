"""When the fork server dies, nothing else does, and a new one replaces it."""

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
    """The kernel makes this process the parent of orphans, as a worker in a pod."""
    libc = ctypes.CDLL(None)
    assert libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    try:
        yield
    finally:
        libc.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


async def kill_fork_server(it: PoolDriver) -> None:
    """Kill it, and wait until the worker has noticed."""
    fork_server = it.fork_server()
    os.kill(fork_server, signal.SIGKILL)
    await until(lambda: not stat_of(fork_server), "the fork server was reaped")


@pytest.mark.parametrize("alone", [True, False])
def test_children_survive_their_fork_server(run_async: RunAsync, *, alone: bool) -> None:
    """Running messages finish, and the next message gets a child, from the pool or a new one."""

    async def scenario() -> None:
        async with pool_driver() as it:
            task, delivery, _ = await it.begin("finish_anyway", alone=alone)
            await kill_fork_server(it)
            await it.processes.cancel(delivery.id, "drain")
            assert isinstance(await task, Returned)
            for one in (True, False):
                assert isinstance(await it.do("who", alone=one), Returned)

    run_async(scenario())


def test_an_orphan_can_be_killed(run_async: RunAsync) -> None:
    """The worker does itself what the fork server would have done."""

    async def scenario() -> None:
        async with pool_driver(patience=0.1) as it:
            task, delivery, pid = await it.begin("hold_the_lock")
            await kill_fork_server(it)
            await it.processes.cancel(delivery.id, "timeout")
            assert await task == Killed("timeout", by_force=True)
            await until_ended(pid)

    run_async(scenario())


def test_an_orphan_that_crashes_has_crashed(run_async: RunAsync) -> None:
    """Another process reaps it, so how it ended is unknown."""

    async def scenario() -> None:
        async with pool_driver() as it:
            task, _, pid = await it.begin("wait")
            await kill_fork_server(it)
            os.kill(pid, signal.SIGKILL)
            assert await task == Crashed(None, "it ended, with an unknown exit code")

    run_async(scenario())


def test_a_worker_that_is_the_first_process_reaps_orphans(run_async: RunAsync) -> None:
    """No zombie is left, and the exit code is known."""

    async def scenario() -> None:
        with as_first_process():
            async with pool_driver() as it:
                task, _, pid = await it.begin("wait")
                idle, delivery, other = await it.begin("finish_anyway", alone=False)
                await kill_fork_server(it)
                os.kill(pid, signal.SIGKILL)
                assert await task == Crashed(-signal.SIGKILL, "it was killed by SIGKILL")
                await it.processes.cancel(delivery.id, "drain")
                await idle
                await it.processes.close()
                assert not {pid, other} & set(children_of(os.getpid()))

    run_async(scenario())


def test_a_fork_server_that_dies_again_and_again_loses_nothing(run_async: RunAsync) -> None:
    """Messages that wait for a child get one from the next fork server."""

    async def scenario() -> None:
        async with pool_driver() as it:
            for _ in range(5):
                await it.processes.start()
                fork_server = it.fork_server()
                tasks = [asyncio.create_task(it.do("who")) for _ in range(4)]
                await asyncio.sleep(0)
                os.kill(fork_server, signal.SIGKILL)
                assert all(isinstance(ended, Returned) for ended in await asyncio.gather(*tasks))

    run_async(scenario())


def test_a_fork_server_that_is_killed_while_it_imports_is_replaced(run_async: RunAsync) -> None:
    """The cause of death is unknown, so the worker tries again."""

    async def scenario() -> None:
        async with pool_driver() as it:
            task = asyncio.create_task(it.do("who"))
            before = set(children_of(os.getpid()))
            await until(lambda: set(children_of(os.getpid())) - before or task.done(), "there is a fork server")
            for pid in set(children_of(os.getpid())) - before:
                os.kill(pid, signal.SIGKILL)
            assert isinstance(await task, Returned)

    run_async(scenario())


def test_a_fork_server_that_is_stuck_is_replaced(run_async: RunAsync) -> None:
    """It was told to kill a child, and does not answer."""

    async def scenario() -> None:
        async with pool_driver(patience=0.1) as it:
            task, delivery, pid = await it.begin("hold_the_lock")
            fork_server = it.fork_server()
            os.kill(fork_server, signal.SIGSTOP)
            await it.processes.cancel(delivery.id, "timeout")
            assert await task == Killed("timeout", by_force=True)
            await until_ended(fork_server, pid)
            assert isinstance(await it.do("who"), Returned)

    run_async(scenario())


def test_a_system_that_refuses_processes_loses_no_message(run_async: RunAsync) -> None:
    """The message was not started, and the error says so."""

    async def scenario() -> None:
        async with pool_driver("no_more:make") as it:
            with pytest.raises(NoChildError, match=r"^no process could be started: Resource temporarily unavailable$"):
                await it.do("who")

    run_async(scenario())


def test_a_worker_without_files_loses_no_message() -> None:
    """It has as many open as it may; when some are closed, it goes on."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    async def scenario() -> None:
        async with pool_driver() as it:
            for _ in range(2):
                resource.setrlimit(resource.RLIMIT_NOFILE, (1, hard))
                with pytest.raises(NoChildError, match=r"^no process could be started: Too many open files$"):
                    await it.do("who")
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
                assert isinstance(await it.do("who"), Returned)

    try:
        on_one_loop(scenario())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_one_fork_server_serves_all(run_async: RunAsync) -> None:
    """However many messages need it at once."""

    async def scenario() -> None:
        async with pool_driver() as it:
            await asyncio.gather(*(it.processes.start() for _ in range(5)), it.do("who"), it.do("who"))
            assert it.fork_server() in children_of(os.getpid())

    run_async(scenario())
