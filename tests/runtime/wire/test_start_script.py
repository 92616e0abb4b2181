"""`Link.start` sends a script at once or not at all, and reports its answer once, without a task."""

from __future__ import annotations

import asyncio
import hashlib

import pytest
from event_loop import run_async, until
from redis.crc import key_slot as reference_slot
from servers import Server

from penstock.scripts import Script
from penstock.wire.credentials import Credentials
from penstock.wire.errors import RedisTrouble, Refused, Reply, Unanswered
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock.wire.slot import key_slot
from penstock_spec.platform import Redis, Timeouts
from penstock_spec.values.quantities import Duration


def script_of(text: bytes) -> Script:
    return Script("test", text, hashlib.sha1(text, usedforsecurity=False).hexdigest())


ECHO = script_of(b"return ARGV[1]")
WRITE = script_of(b"return redis.call('INCR', KEYS[1])")


class Started:
    """Starts scripts and collects what is reported."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.reports: list[Reply | RedisTrouble] = []

    def start(self, script: Script, *args: str, keys: tuple[str, ...] = ()) -> bool:
        return self.link.start(script, keys, args, self.reports.append)

    async def report(self) -> Reply | RedisTrouble:
        await until(lambda: bool(self.reports), "the answer is reported")
        (report,) = self.reports
        self.reports.clear()
        return report


def test_a_known_script_starts_on_an_idle_connection(server: Server) -> None:
    async def scenario() -> None:
        link = server.link()
        started = Started(link)
        assert not started.start(ECHO, "there is no connection")
        await link.call("PING")
        assert not started.start(ECHO, "the server may not have the script")
        await link.run(ECHO, (), ("known",))
        for word in ("one", "two"):
            assert started.start(ECHO, word)
            assert await started.report() == word.encode()
        assert link.connections == 1
        await link.close()
        assert not started.start(ECHO, "closed")
        assert started.reports == []

    run_async(scenario())


def test_a_script_does_not_start_behind_another_command(server: Server) -> None:
    """It is neither queued nor sent."""

    async def scenario() -> None:
        link = server.link()
        await link.run(WRITE, ("counter",), ())
        started = Started(link)
        blocked = asyncio.create_task(link.call("BLPOP", "list", 0, wait=30))
        await until(lambda: "blocked_clients:1" in str(server.ask("INFO", "clients")), "a client is blocked")
        assert not started.start(WRITE, keys=("counter",))
        server.ask("RPUSH", "list", "go on")
        await blocked
        assert started.start(WRITE, keys=("counter",))
        assert not started.start(WRITE, keys=("counter",))
        assert await started.report() == 2
        await link.close()

    run_async(scenario())


def test_calls_wait_for_a_started_script(server: Server) -> None:
    """Each gets its own answer."""

    async def scenario() -> None:
        link = server.link()
        await link.run(ECHO, (), ("known",))
        started = Started(link)
        assert started.start(ECHO, "started")
        calls = [link.call("ECHO", word) for word in ("a", "b", "c")]
        assert await asyncio.gather(*calls, link.calls([("ECHO", "d")])) == [b"a", b"b", b"c", [b"d"]]
        assert started.reports == [b"started"]
        assert link.connections == 1
        await link.close()

    run_async(scenario())


def test_a_started_script_without_an_answer_is_unanswered(server: Server) -> None:
    """The connection is dropped, so a late answer reaches nobody."""

    async def scenario() -> None:
        redis = Redis(addresses=[server.address], timeouts=Timeouts(answer=Duration("1s")))
        link = Link(Route.to(redis, "", credentials=Credentials()), name="hasty")
        await link.run(WRITE, ("counter",), ())
        started = Started(link)
        server.pause()
        assert started.start(WRITE, keys=("counter",))
        report = await started.report()
        assert isinstance(report, Unanswered)
        assert "did not answer within 1 s" in str(report)
        assert not link.is_connected
        assert not started.start(WRITE, keys=("counter",))
        server.resume()
        await until(lambda: link.call("PING"), "the server replies again")
        assert await link.call("GET", "counter") == b"2"
        assert started.reports == []
        await link.close()

    run_async(scenario())


def test_closing_reports_a_started_script_as_unanswered(server: Server) -> None:
    async def scenario() -> None:
        link = server.link()
        await link.run(ECHO, (), ("known",))
        started = Started(link)
        assert started.start(ECHO, "in flight")
        await link.close()
        assert isinstance(await started.report(), Unanswered)

    run_async(scenario())


def test_a_lost_script_is_reported_and_run_sends_it_again(server: Server) -> None:
    async def scenario() -> None:
        link = server.link()
        await link.run(WRITE, ("counter",), ())
        started = Started(link)
        server.ask("SCRIPT", "FLUSH")
        assert started.start(WRITE, keys=("counter",))
        report = await started.report()
        assert isinstance(report, Refused)
        assert report.code == "NOSCRIPT"
        assert await link.run(WRITE, ("counter",), ()) == 2
        assert link.connections == 1
        await link.close()

    run_async(scenario())


def test_a_replica_ends_the_connection(server: Server) -> None:
    """So the next call looks for the master again."""

    async def scenario() -> None:
        link = server.link()
        await link.run(WRITE, ("counter",), ())
        started = Started(link)
        server.ask("REPLICAOF", "127.0.0.1", 1)
        assert started.start(WRITE, keys=("counter",))
        report = await started.report()
        assert isinstance(report, Refused)
        assert report.code == "READONLY"
        assert not link.is_connected
        server.ask("REPLICAOF", "NO", "ONE")
        await link.close()

    run_async(scenario())


def test_data_that_nobody_asked_for_ends_the_connection(server: Server) -> None:
    """It could be taken for the next answer."""

    async def scenario() -> None:
        link = server.link()
        await link.run(ECHO, (), ("known",))
        assert await link.call("SUBSCRIBE", "channel") == [b"subscribe", b"channel", 1]
        server.ask("PUBLISH", "channel", "unasked")
        started = Started(link)
        await until(lambda: not started.start(ECHO, "not here"), "the message has arrived")
        assert await link.call("ECHO", "mine") == b"mine"
        assert link.connections == 2
        await link.close()

    run_async(scenario())


@pytest.mark.parametrize("key", [b"", b"foo", b"{a}b", b"a{b}c{d}", b"foo{}{bar}", b"{", b"}{", b"a}{b}", b"{{a}}"])
def test_the_slot_of_a_key_is_that_of_redis(key: bytes) -> None:
    assert key_slot(key) == reference_slot(key)
