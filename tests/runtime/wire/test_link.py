"""A link says what Redis says, to whoever asked, on every shape of Redis."""

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


def test_answers_are_raw(target: Target) -> None:
    """Bytes, whole numbers, nothing, and lists of these, as RESP2 has them."""

    async def scenario() -> None:
        async with linked(target) as link:
            assert await link.call("SET", KEY, b"\x00\xff\r\n") == b"OK"
            assert await link.call("GET", KEY) == b"\x00\xff\r\n"
            assert await link.call("GET", f"{KEY}:none") is None
            assert await link.call("STRLEN", KEY) == 4
            await link.call("XADD", f"{KEY}:stream", "1-1", "data", "{}")
            assert await link.call("XRANGE", f"{KEY}:stream", "-", "+") == [[b"1-1", [b"data", b"{}"]]]

    run_async(scenario())


def test_every_kind_of_word(target: Target) -> None:
    """Text goes as UTF-8, numbers as Redis reads them, bytes as they are; blanks do not split a word."""

    async def scenario() -> None:
        async with linked(target) as link:
            await link.call("RPUSH", KEY, "ä b", b"\xff", 12, -1.5, 0.1, 2**63, "")
            told = await link.call("LRANGE", KEY, 0, -1)
            assert told == ["ä b".encode(), b"\xff", b"12", b"-1.5", b"0.1", b"9223372036854775808", b""]

    run_async(scenario())


def test_a_word_of_another_type_sends_nothing(target: Target) -> None:
    """A mistake of ours is raised before Redis sees any of it, and the link is as good as before."""

    async def scenario() -> None:
        async with linked(target) as link:
            with pytest.raises(TypeError, match="must be str, int, float or bytes"):
                await link.calls([("SET", KEY, 1), ("SET", KEY, None)])  # type: ignore[list-item] # the mistake
            assert await link.call("EXISTS", KEY) == 0

    run_async(scenario())


def test_an_error_is_refused_with_its_code(target: Target) -> None:
    """The whole text is kept, the first word is the code, and the connection stays."""

    async def scenario() -> None:
        async with linked(target) as link:
            await link.call("SET", KEY, "text")
            with pytest.raises(Refused, match=r"^WRONGTYPE Operation against a key") as refused:
                await link.call("XLEN", KEY)
            assert refused.value.code == "WRONGTYPE"
            assert await link.call("GET", KEY) == b"text"
            assert link.connections == 1

    run_async(scenario())


def test_what_is_sent_together_is_answered_in_order(target: Target) -> None:
    """An error among the answers is a value, and those behind it are done all the same."""

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


def test_big_things_go_both_ways(target: Target) -> None:
    """Megabytes in one word, and in one answer."""

    async def scenario() -> None:
        async with linked(target) as link:
            big = bytes(range(256)) * 65536
            await link.call("SET", KEY, big)
            assert await link.call("GET", KEY) == big
            await link.calls([("RPUSH", f"{KEY}:list", *range(1000))] * 50)
            told = await link.call("LRANGE", f"{KEY}:list", 0, -1)
            assert isinstance(told, list)
            assert len(told) == 50_000

    run_async(scenario())


def test_everyone_gets_the_answer_to_what_they_asked(target: Target) -> None:
    """A link may be shared: calls take turns, and those that are given up do not disturb the others."""

    async def scenario() -> None:
        async with linked(target) as link:
            await link.call("SET", KEY, "x")
            asked = [asyncio.create_task(link.call("EVAL", "return ARGV[1]", 1, KEY, n)) for n in range(300)]
            for turns, task in enumerate(asked):
                if turns % 3 == 0:
                    task.cancel()
                await asyncio.sleep(0)
            answers = await asyncio.gather(*asked, return_exceptions=True)
            for number, answer in enumerate(answers):
                assert isinstance(answer, asyncio.CancelledError) or answer == str(number).encode()
            kept = [number for number, answer in enumerate(answers) if isinstance(answer, bytes)]
            assert set(kept) >= {number for number in range(300) if number % 3}

    run_async(scenario())


def test_whoever_gives_up_waiting_leaves_no_trace(server: Server) -> None:
    """A call that is cancelled before its turn sends nothing, and the connection stays."""

    async def scenario() -> None:
        link = server.link()
        blocked = asyncio.create_task(link.call("BLPOP", "list", 0, wait=30))
        await until(lambda: "blocked_clients:1" in str(server.ask("INFO", "clients")), "one is blocked")
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


def test_a_blocking_command_may_take_its_time(server: Server) -> None:
    """`wait` comes on top of the time for an answer; and with the client's id, another link can end it."""

    async def scenario() -> None:
        reader, other = server.link("reader"), server.link("other")
        await reader.call("PING")
        blocked = asyncio.create_task(reader.call("BLPOP", "list", 0, wait=30))
        await until(lambda: "blocked_clients:1" in str(server.ask("INFO", "clients")), "one is blocked")
        assert reader.client_id is not None
        assert await other.call("CLIENT", "UNBLOCK", reader.client_id) == 1
        assert await blocked is None
        assert reader.connections == 1
        await reader.close()
        await other.close()

    run_async(scenario())


def test_a_link_shows_who_it_is(target: Target) -> None:
    """CLIENT LIST has its name; until it is used, and when it was closed, it has no number."""

    async def scenario() -> None:
        link = target.link(KEY, "worker-a:reader")
        assert link.client_id is None
        assert link.connections == 0
        told = await link.call("CLIENT", "LIST")
        assert isinstance(told, bytes)
        mine = next(line for line in told.decode().splitlines() if line.startswith(f"id={link.client_id} "))
        assert " name=worker-a:reader " in mine
        assert link.connections == 1
        await link.close()
        assert link.client_id is None

    run_async(scenario())


def test_a_name_that_redis_does_not_take_is_no_reason_to_stay_away(server: Server) -> None:
    """CLIENT SETNAME refuses blanks; the link works without."""

    async def scenario() -> None:
        link = server.link("not a name")
        assert await link.call("PING") == b"PONG"
        await link.close()

    run_async(scenario())


def test_closing_ends_what_is_under_way(server: Server) -> None:
    """Whoever waits is told that there is no answer; whoever comes later, that there is no connection."""

    async def scenario() -> None:
        link = server.link()
        blocked = asyncio.create_task(link.call("BLPOP", "list", 0, wait=30))
        await until(lambda: "blocked_clients:1" in str(server.ask("INFO", "clients")), "one is blocked")
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
