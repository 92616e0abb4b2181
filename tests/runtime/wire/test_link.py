"""A link returns the replies of Redis to their callers, on every topology."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from event_loop import run_async, until
from servers import Server
from targets import Target

from penstock.wire.errors import Absent, Refused, Unanswered
from penstock.wire.link import Link

KEY = "{tests}:key"


@asynccontextmanager
async def linked(target: Target, name: str = "tests") -> AsyncIterator[Link]:
    link = target.link(KEY, name)
    try:
        yield link
    finally:
        await link.close()


def test_replies_are_raw(target: Target) -> None:
    """They are bytes, integers, None and lists of these, as in RESP2."""

    async def scenario() -> None:
        async with linked(target) as link:
            assert await link.call("SET", KEY, b"\x00\xff\r\n") == b"OK"
            assert await link.call("GET", KEY) == b"\x00\xff\r\n"
            assert await link.call("GET", f"{KEY}:none") is None
            assert await link.call("STRLEN", KEY) == 4
            await link.call("XADD", f"{KEY}:stream", "1-1", "data", "{}")
            assert await link.call("XRANGE", f"{KEY}:stream", "-", "+") == [[b"1-1", [b"data", b"{}"]]]

    run_async(scenario())


def test_arguments_of_every_type_arrive_unchanged(target: Target) -> None:
    """Text is sent as UTF-8, numbers as Redis reads them, bytes as they are; spaces do not split an argument."""

    async def scenario() -> None:
        async with linked(target) as link:
            await link.call("RPUSH", KEY, "ä b", b"\xff", 12, -1.5, 0.1, 2**63, "")
            values = await link.call("LRANGE", KEY, 0, -1)
            assert values == ["ä b".encode(), b"\xff", b"12", b"-1.5", b"0.1", b"9223372036854775808", b""]

    run_async(scenario())


def test_an_argument_of_another_type_sends_nothing(target: Target) -> None:
    """The error is raised before Redis receives anything, and the link stays usable."""

    async def scenario() -> None:
        async with linked(target) as link:
            with pytest.raises(TypeError, match="must be str, int, float or bytes"):
                await link.calls([("SET", KEY, 1), ("SET", KEY, None)])  # type: ignore[list-item] # it must be refused
            assert await link.call("EXISTS", KEY) == 0

    run_async(scenario())


def test_an_error_raises_refused_with_its_code(target: Target) -> None:
    """The code is the first word, the text is complete, and the connection stays open."""

    async def scenario() -> None:
        async with linked(target) as link:
            await link.call("SET", KEY, "text")
            with pytest.raises(Refused, match=r"^WRONGTYPE Operation against a key") as refused:
                await link.call("XLEN", KEY)
            assert refused.value.code == "WRONGTYPE"
            assert await link.call("GET", KEY) == b"text"
            assert link.connections == 1

    run_async(scenario())


def test_a_batch_returns_replies_in_order(target: Target) -> None:
    """An error is one of the values, and the commands after it still run."""

    async def scenario() -> None:
        async with linked(target) as link:
            commands = [("RPUSH", KEY, number) for number in range(2000)]
            answers = await link.calls([*commands, ("XLEN", KEY), ("LLEN", KEY)])
            assert answers[:2000] == list(range(1, 2001))
            assert isinstance(refused := answers[2000], Refused)
            assert refused.code == "WRONGTYPE"
            assert answers[2001] == 2000
            assert await link.calls([]) == []

    run_async(scenario())


def test_large_values_travel_in_both_directions(target: Target) -> None:
    """Megabytes fit in an argument and in a reply."""

    async def scenario() -> None:
        async with linked(target) as link:
            big = bytes(range(256)) * 65536
            await link.call("SET", KEY, big)
            assert await link.call("GET", KEY) == big
            await link.calls([("RPUSH", f"{KEY}:list", *range(1000))] * 50)
            values = await link.call("LRANGE", f"{KEY}:list", 0, -1)
            assert isinstance(values, list)
            assert len(values) == 50_000

    run_async(scenario())


def test_each_caller_gets_its_own_reply(target: Target) -> None:
    """Tasks can share a link, and cancelled calls do not disturb the others."""

    async def scenario() -> None:
        async with linked(target) as link:
            await link.call("SET", KEY, "x")
            calls = [asyncio.create_task(link.call("EVAL", "return ARGV[1]", 1, KEY, n)) for n in range(300)]
            for turns, task in enumerate(calls):
                if turns % 3 == 0:
                    task.cancel()
                await asyncio.sleep(0)
            answers = await asyncio.gather(*calls, return_exceptions=True)
            for number, answer in enumerate(answers):
                assert isinstance(answer, asyncio.CancelledError) or answer == str(number).encode()
            kept = [number for number, answer in enumerate(answers) if isinstance(answer, bytes)]
            assert set(kept) >= {number for number in range(300) if number % 3}

    run_async(scenario())


def test_a_call_cancelled_in_the_queue_sends_nothing(server: Server) -> None:
    """The connection stays open."""

    async def scenario() -> None:
        link = server.link()
        blocked = asyncio.create_task(link.call("BLPOP", "list", 0, wait=30))
        await until(lambda: "blocked_clients:1" in str(server.ask("INFO", "clients")), "a client is blocked")
        given_up = asyncio.create_task(link.call("INCR", "counter"))
        patient = asyncio.create_task(link.call("GET", "counter"))
        await asyncio.sleep(0)
        given_up.cancel()
        server.ask("RPUSH", "list", "go on")
        assert await blocked == [b"list", b"go on"]
        assert await patient is None
        assert link.connections == 1
        await link.close()

    run_async(scenario())


def test_a_blocking_command_can_wait_longer(server: Server) -> None:
    """`wait` extends the timeout of the reply, and another link can unblock the client by its id."""

    async def scenario() -> None:
        reader, other = server.link("reader"), server.link("other")
        await reader.call("PING")
        blocked = asyncio.create_task(reader.call("BLPOP", "list", 0, wait=30))
        await until(lambda: "blocked_clients:1" in str(server.ask("INFO", "clients")), "a client is blocked")
        assert reader.client_id is not None
        assert await other.call("CLIENT", "UNBLOCK", reader.client_id) == 1
        assert await blocked is None
        assert reader.connections == 1
        await reader.close()
        await other.close()

    run_async(scenario())


def test_a_link_is_visible_in_the_client_list(target: Target) -> None:
    """CLIENT LIST shows its name; before the first call and after close, it has no client id."""

    async def scenario() -> None:
        link = target.link(KEY, "worker-a:reader")
        assert link.client_id is None
        assert link.connections == 0
        clients = await link.call("CLIENT", "LIST")
        assert isinstance(clients, bytes)
        mine = next(line for line in clients.decode().splitlines() if line.startswith(f"id={link.client_id} "))
        assert " name=worker-a:reader " in mine
        assert link.connections == 1
        await link.close()
        assert link.client_id is None

    run_async(scenario())


def test_a_link_works_without_a_client_name(server: Server) -> None:
    """CLIENT SETNAME refuses names with spaces."""

    async def scenario() -> None:
        link = server.link("not a name")
        assert await link.call("PING") == b"PONG"
        await link.close()

    run_async(scenario())


def test_closing_ends_all_calls(server: Server) -> None:
    """A sent call raises `Unanswered`; queued and later calls raise `Absent`."""

    async def scenario() -> None:
        link = server.link()
        blocked = asyncio.create_task(link.call("BLPOP", "list", 0, wait=30))
        await until(lambda: "blocked_clients:1" in str(server.ask("INFO", "clients")), "a client is blocked")
        queued = asyncio.create_task(link.call("PING"))
        await asyncio.sleep(0)
        await link.close()
        with pytest.raises(Unanswered):
            await blocked
        with pytest.raises(Absent, match="closed"):
            await queued
        with pytest.raises(Absent, match="closed"):
            await link.call("PING")
        await link.close()

    run_async(scenario())
