"""A memory limit fails one message and affects no other."""

from __future__ import annotations

import json

import pytest
from child_processes import PoolDriver, pool_driver
from event_loop import run_async

from penstock.handling.failures import Failure
from penstock.isolation import Returned, RunRequest

MEBIBYTE = 1 << 20


async def pid_of(driver: PoolDriver) -> int:
    info = await driver.do("describe", alone=False)
    assert isinstance(info, Returned)
    return int(json.loads(info.result)["pid"])


@pytest.mark.parametrize("do", ["allocate", "fill_memory"])
def test_exceeding_the_limit_is_a_failure(do: str) -> None:
    """One large or many small allocations exceed it, freed or kept. The child then runs no other message."""

    async def scenario() -> None:
        async with pool_driver(memory_limit=64 * MEBIBYTE) as driver:
            first = await pid_of(driver)
            failed = await driver.do(do, alone=False)
            assert isinstance(failed, Failure)
            assert failed.types[0] == "builtins.MemoryError"
            assert await pid_of(driver) != first

    run_async(scenario())


def test_memory_below_the_limit_is_available() -> None:
    """The interpreter and the imports do not count: even 16 MiB are enough for a small handler."""

    async def scenario() -> None:
        async with pool_driver(memory_limit=256 * MEBIBYTE) as driver:
            assert await driver.do("allocate", alone=False) == Returned(b"%d" % (200 * MEBIBYTE))
        async with pool_driver(memory_limit=16 * MEBIBYTE) as driver:
            assert isinstance(await driver.do("report", alone=False), Returned)
        async with pool_driver() as driver:
            assert await driver.do("allocate", alone=False) == Returned(b"%d" % (200 * MEBIBYTE))

    run_async(scenario())


def test_a_message_larger_than_the_limit_fails() -> None:
    """A used child receives it, and then has no memory left to run it."""

    async def scenario() -> None:
        async with pool_driver(memory_limit=16 * MEBIBYTE) as driver:
            assert isinstance(await driver.do("report", alone=False), Returned)
            big = RunRequest(b"0-1", ((b"do", b"echo"), (b"big", bytes(64 * MEBIBYTE))), 1, 1, "me")
            failed = await driver.run(big, alone=False)
            assert isinstance(failed, Failure)
            assert failed.types[0] == "builtins.MemoryError"
            assert isinstance(await driver.do("report", alone=False), Returned)

    run_async(scenario())


def test_threads_need_little_memory() -> None:
    """Each reserves 64 MiB of addresses, which do not count as memory."""

    async def scenario() -> None:
        async with pool_driver(memory_limit=128 * MEBIBYTE) as driver:
            assert await driver.do("use_threads") == Returned(b"8")

    run_async(scenario())


def test_the_kernel_kills_children_first() -> None:
    """When memory runs out, the node loses a message rather than the worker."""

    async def scenario() -> None:
        async with pool_driver() as driver:
            score = await driver.do("oom_score")
            assert isinstance(score, Returned)
            with open("/proc/self/oom_score_adj") as own:  # noqa: ASYNC230, PTH123 - a line of the kernel
                assert json.loads(score.result) > int(own.read()) or json.loads(score.result) == 1000

    run_async(scenario())
