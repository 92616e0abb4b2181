"""A memory limit fails one message, and affects nothing else."""

from __future__ import annotations

import json

import pytest
from child_processes import PoolDriver, pool_driver
from event_loop import run_async

from penstock.handling.failures import Failure
from penstock.isolation import Returned, RunRequest

MEBIBYTE = 1 << 20


async def pid_of(it: PoolDriver) -> int:
    who = await it.do("who", alone=False)
    assert isinstance(who, Returned)
    return int(json.loads(who.result)["pid"])


@pytest.mark.parametrize("do", ["take_memory", "hog_and_keep"])
def test_exceeding_the_limit_is_a_failure(do: str) -> None:
    """In one piece or in many, freed or kept. The child has reached its limit, and takes no other message."""

    async def scenario() -> None:
        async with pool_driver(memory_limit=64 * MEBIBYTE) as it:
            first = await pid_of(it)
            failed = await it.do(do, alone=False)
            assert isinstance(failed, Failure)
            assert failed.types[0] == "builtins.MemoryError"
            assert await pid_of(it) != first

    run_async(scenario())


def test_memory_below_the_limit_is_available() -> None:
    """The interpreter and the imports do not count: even 16 MiB suffice for a small handler."""

    async def scenario() -> None:
        async with pool_driver(memory_limit=256 * MEBIBYTE) as it:
            assert await it.do("take_memory", alone=False) == Returned(b"%d" % (200 * MEBIBYTE))
        async with pool_driver(memory_limit=16 * MEBIBYTE) as it:
            assert isinstance(await it.do("tell", alone=False), Returned)
        async with pool_driver() as it:
            assert await it.do("take_memory", alone=False) == Returned(b"%d" % (200 * MEBIBYTE))

    run_async(scenario())


def test_a_message_larger_than_the_limit_fails() -> None:
    """A child that has run before receives it, and then has no memory left to run it."""

    async def scenario() -> None:
        async with pool_driver(memory_limit=16 * MEBIBYTE) as it:
            assert isinstance(await it.do("tell", alone=False), Returned)
            big = RunRequest(b"0-1", ((b"do", b"echo"), (b"big", bytes(64 * MEBIBYTE))), 1, 1, "me")
            failed = await it.run(big, alone=False)
            assert isinstance(failed, Failure)
            assert failed.types[0] == "builtins.MemoryError"
            assert isinstance(await it.do("tell", alone=False), Returned)

    run_async(scenario())


def test_threads_need_little_memory() -> None:
    """Each reserves 64 MiB of addresses, which are not memory."""

    async def scenario() -> None:
        async with pool_driver(memory_limit=128 * MEBIBYTE) as it:
            assert await it.do("use_threads") == Returned(b"8")

    run_async(scenario())


def test_the_kernel_kills_children_first() -> None:
    """When memory runs out, the machine loses a message rather than its worker."""

    async def scenario() -> None:
        async with pool_driver() as it:
            told = await it.do("tell_score")
            assert isinstance(told, Returned)
            with open("/proc/self/oom_score_adj") as own:  # noqa: ASYNC230, PTH123 - a line of the kernel
                assert json.loads(told.result) > int(own.read()) or json.loads(told.result) == 1000

    run_async(scenario())
