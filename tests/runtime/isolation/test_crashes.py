"""A handler that crashes its process fails one message and harms no other."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import pytest
from child_processes import children_of, is_alive, open_files, pool_driver, until_ended
from event_loop import run_async as on_one_loop
from event_loop import until

from penstock.isolation import JSON, Crashed, Returned

RunAsync = Callable[[Coroutine[Any, Any, None]], None]
CRASHES = [
    ("exit_at_once", Crashed(3, "it ended with code 3")),
    ("segfault", Crashed(-signal.SIGSEGV, "it was killed by SIGSEGV")),
    ("kill_itself", Crashed(-signal.SIGKILL, "it was killed by SIGKILL")),
    ("close_all_files", Crashed(-signal.SIGKILL, "it closed its socket to the worker")),
    ("write_garbage", Crashed(-signal.SIGKILL, "it closed its socket to the worker")),
]


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize(("do", "crashed"), CRASHES)
def test_a_crash_is_reported_and_harms_no_other_message(
    run_async: RunAsync, do: str, crashed: Crashed, *, alone: bool
) -> None:
    """A message in another child finishes, and the next message runs."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            neighbour, _, _ = await driver.begin("finish_anyway", alone=alone)
            assert await driver.do(do, alone=alone) == crashed
            await driver.processes.cancel(b"1-0", "drain")
            assert isinstance(await neighbour, Returned)
            assert isinstance(await driver.do("describe", alone=alone), Returned)

    run_async(scenario())


def test_a_killed_child_counts_as_crashed(run_async: RunAsync) -> None:
    """The kernel kills it when memory runs out."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            task, _, pid = await driver.begin("wait")
            os.kill(pid, signal.SIGKILL)
            assert await task == Crashed(-signal.SIGKILL, "it was killed by SIGKILL")

    run_async(scenario())


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("target", "config"),
    [("actions:make", {}), ("own_signal_handlers:make", {}), ("own_signal_handlers:make", {"loop": True})],
)
def test_signals_to_all_processes_lose_no_messages(which: signal.Signals, target: str, config: dict[str, JSON]) -> None:
    """A supervisor may signal all processes of a worker to stop it; the drain still finishes."""

    async def scenario() -> None:
        async with pool_driver(target, config) as driver:
            task, delivery, pid = await driver.begin("finish_anyway")
            fork_server = driver.fork_server()
            os.kill(fork_server, which)
            os.kill(pid, which)
            await driver.processes.cancel(delivery.id, "drain")
            assert isinstance(await task, Returned)
            assert isinstance(await driver.do("describe"), Returned)
            assert driver.fork_server() == fork_server

    on_one_loop(scenario())


def test_signals_interrupt_nothing(run_async: RunAsync) -> None:
    """Signals arrive at every moment: while children start, during large messages, at the end."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            await driver.processes.start()
            fork_server = driver.fork_server()
            finished = asyncio.Event()

            async def disturb() -> None:
                while not finished.is_set():
                    for pid in (fork_server, *children_of(fork_server)):
                        for which in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM):
                            with suppress(ProcessLookupError):
                                os.kill(pid, which)
                    await asyncio.sleep(0)

            disturbing = asyncio.create_task(disturb())
            big = "x" * (1 << 20)
            for _ in range(5):
                ended = await asyncio.gather(*(driver.do("echo", alone=alone, big=big) for alone in (True, False)))
                assert all(isinstance(one, Returned) and big.encode() in one.result for one in ended)
            finished.set()
            await disturbing

    run_async(scenario())


def test_programs_of_a_handler_receive_signals(run_async: RunAsync) -> None:
    """Children ignore SIGTERM; their programs do not inherit that."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            assert await driver.do("terminate_a_program") == Returned(b"-15")

    run_async(scenario())


def test_programs_of_a_crashed_handler_end(run_async: RunAsync) -> None:
    """Penstock ends them, because no other process would."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            assert await driver.do("start_a_program", then="crash") == Crashed(1, "it ended with code 1")
            program = driver.reports[-1].value
            assert isinstance(program, int)
            await until_ended(program)

    run_async(scenario())


def test_a_fork_that_holds_the_socket_hides_no_crash(run_async: RunAsync) -> None:
    """The worker learns of the crash although a fork of the child keeps the socket open."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            assert await driver.do("fork") == Crashed(9, "it ended with code 9")
            forked = driver.reports[-1].value
            assert isinstance(forked, int)
            await until_ended(forked)

    run_async(scenario())


def test_a_hundred_children_leave_nothing_behind(run_async: RunAsync) -> None:
    """Crashed or not, they leave no zombie and no open file."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            await driver.processes.start()
            before = open_files()
            for number in range(100):
                ended = await driver.do("exit_at_once" if number % 2 else "describe")
                assert isinstance(ended, Crashed if number % 2 else Returned)
            await until(lambda: not children_of(driver.fork_server()), "no child is left, not even a zombie")
            await until(lambda: open_files() == before, "no file is left")

    run_async(scenario())


def test_twenty_messages_run_at_once(run_async: RunAsync) -> None:
    """Half of them crash; each gets its own result."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            ended = await asyncio.gather(*(driver.do("exit_at_once" if n % 2 else "describe") for n in range(20)))
            assert [type(one) for one in ended] == [Returned, Crashed] * 10
            pids = {one.result for one in ended if isinstance(one, Returned)}
            assert len(pids) == 10

    run_async(scenario())


def test_closing_leaves_no_process_and_no_file(run_async: RunAsync) -> None:
    """Two concurrent calls of close are safe."""

    async def scenario() -> None:
        files, processes = open_files(), set(children_of(os.getpid()))
        async with pool_driver(patience=0.1) as driver:
            running = [await driver.begin(do, alone=alone) for do in ("wait", "ignore") for alone in (True, False)]
            fork_server = driver.fork_server()
            await asyncio.gather(driver.processes.close(), driver.processes.close())
            assert not any(is_alive(pid) for pid in (fork_server, *(pid for _, _, pid in running)))
            assert all(task.done() for task, _, _ in running)
        assert set(children_of(os.getpid())) == processes
        await until(lambda: open_files() == files, "no file is left")

    run_async(scenario())
