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
from child_processes import Family, family, is_alive, stat_of, until_ended
from promises import until

from penstock.isolation import Crashed, Killed, Returned

Keep = Callable[[Coroutine[Any, Any, None]], None]


async def pid_of(it: Family, *, alone: bool = False) -> int:
    who = await it.do("who", alone=alone)
    assert isinstance(who, Returned)
    return int(json.loads(who.result)["pid"])


def test_a_child_is_used_again(keep: Keep) -> None:
    """Sequential messages need one child, which keeps its state."""

    async def promise() -> None:
        async with family() as it:
            told = [await it.do("who", alone=False) for _ in range(10)]
            whos = [json.loads(one.result) for one in told if isinstance(one, Returned)]
            assert len({who["pid"] for who in whos}) == 1
            assert [who["runs"] for who in whos] == list(range(1, 11))

    keep(promise())


def test_the_pool_has_as_many_children_as_messages_run_at_once(keep: Keep) -> None:
    """And no more when the next ones come."""

    async def promise() -> None:
        async with family() as it:

            async def together() -> set[int]:
                begun = [await it.begin("finish_anyway", alone=False) for _ in range(4)]
                for task, delivery, _ in begun:
                    await it.processes.cancel(delivery.id, "drain")
                    assert isinstance(await task, Returned)
                return {pid for _, _, pid in begun}

            first = await together()
            assert len(first) == 4
            assert await together() == first

    keep(promise())


def test_an_isolated_message_shares_no_child(keep: Keep) -> None:
    """A suspect gets a new child, and no other message gets the suspect's."""

    async def promise() -> None:
        async with family() as it:
            pool = await pid_of(it)
            suspects = [await pid_of(it, alone=True) for _ in range(3)]
            assert len({pool, *suspects}) == 4
            assert await pid_of(it) == pool
            await until_ended(*suspects)

    keep(promise())


@pytest.mark.parametrize("do", ["be_the_last", "leave_at_once"])
def test_an_unusable_child_is_replaced(keep: Keep, do: str) -> None:
    """It retired itself, or has crashed."""

    async def promise() -> None:
        async with family() as it:
            first = await pid_of(it)
            await it.do(do, alone=False)
            assert await pid_of(it) != first
            await until_ended(first)

    keep(promise())


def test_a_child_that_dies_idle_loses_no_message(keep: Keep) -> None:
    """Unnoticed, half noticed, or with the message in its socket: another child gets what it has not read."""

    async def promise() -> None:
        async with family() as it:
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

    keep(promise())


def test_a_child_that_does_not_end_is_killed(keep: Keep) -> None:
    """It was told to quit."""

    async def promise() -> None:
        async with family(patience=0.1) as it:
            first = await pid_of(it)
            os.kill(first, signal.SIGSTOP)
            await it.processes.close()
            assert not is_alive(first)

    keep(promise())


def test_the_program_is_closed_when_its_child_ends(keep: Keep, tmp_path: Path) -> None:
    """So that it can flush; also the program of a suspect's child."""
    file = tmp_path / "closed"

    async def promise() -> None:
        async with family(config={"closed": str(file)}) as it:
            pids = {await pid_of(it), await pid_of(it, alone=True)}
            assert isinstance(await it.do("leave_at_once"), Crashed)
            await it.processes.close()
            assert set(map(int, file.read_text().split())) == pids

    keep(promise())


def test_a_message_runs_once_at_a_time(keep: Keep) -> None:
    """Starting it a second time is a programming error."""

    async def promise() -> None:
        async with family() as it:
            task, delivery, _ = await it.begin("wait")
            with pytest.raises(RuntimeError, match="running here already"):
                await it.run(delivery)
            await it.processes.cancel(delivery.id, "drain")
            assert await task == Killed("drain", by_force=False)

    keep(promise())
