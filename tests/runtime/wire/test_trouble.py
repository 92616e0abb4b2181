"""What a link does when the server, or the way to it, fails: it says so truly, repeats nothing, and goes on after."""

import asyncio
import gc
import itertools
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from event_loop import run_async, until
from faulty_connection import Cable
from servers import Server
from tls import Certificate, Proxy

from penstock.wire.credentials import Credentials
from penstock.wire.errors import Absent, RedisTrouble, Refused, Unanswered
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_spec.platform import Redis, Timeouts
from penstock_spec.values.quantities import Duration


@pytest.fixture
def cable(server: Server) -> Iterator[Cable]:
    with Cable(server.port) as cable:
        yield cable


def hasty(address: str, answer: str = "1s") -> Link:
    """A link that does not wait long for an answer."""
    redis = Redis(addresses=[address], timeouts=Timeouts(answer=Duration(answer)))
    return Link(Route.to(redis, "", credentials=Credentials()), name="hasty")


async def blocked(server: Server) -> None:
    await until(lambda: "blocked_clients:1" in str(server.ask("INFO", "clients")), "one is blocked")


def test_the_next_one_never_gets_the_answer_of_one_who_left(server: Server) -> None:
    """A command that was cancelled while Redis worked on it takes its connection along."""

    async def scenario() -> None:
        link = server.link()
        leaves = asyncio.create_task(link.call("BLPOP", "list", 0, wait=30))
        await blocked(server)
        leaves.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaves
        assert link.client_id is None
        server.ask("RPUSH", "list", "an answer for nobody")
        assert await link.call("ECHO", "mine") == b"mine"
        assert link.connections == 2
        await link.close()

    run_async(scenario())


def test_cancelled_while_many_answers_come(server: Server) -> None:
    """The same for commands that were sent together."""

    async def scenario() -> None:
        link = server.link()
        leaves = asyncio.create_task(link.calls([("PING",), ("BLPOP", "list", 0), ("ECHO", "theirs")]))
        await blocked(server)
        leaves.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaves
        assert link.client_id is None
        server.ask("RPUSH", "list", "an answer for nobody")
        assert await link.calls([("ECHO", "a"), ("ECHO", "b")]) == [b"a", b"b"]
        await link.close()

    run_async(scenario())


def test_a_server_that_hangs_is_not_waited_for(server: Server) -> None:
    """No answer in time: it may have happened, and the next call has a connection of its own."""

    async def scenario() -> None:
        link = hasty(server.address)
        await link.call("SET", "counter", 0)
        server.pause()
        with pytest.raises(Unanswered, match=r"did not answer within 1 s"):
            await link.call("INCR", "counter")
        with pytest.raises(Absent):
            await link.call("INCR", "counter")
        server.resume()
        assert await link.call("GET", "counter") == b"1"
        await link.close()

    run_async(scenario())


def test_a_server_that_hangs_behind_tls_is_left_at_once(server: Server, tmp_path: Path) -> None:
    """TLS wants to say goodbye, and be told goodbye; whoever hangs does neither."""
    certificate = Certificate.make(tmp_path)

    async def scenario(port: int) -> None:
        redis = Redis(addresses=[f"127.0.0.1:{port}"], tls=True, timeouts=Timeouts(answer=Duration("2s")))
        link = Link(Route.to(redis, "", credentials=Credentials(ca_file=certificate.ca)), name="hasty")
        await link.call("SET", "counter", 0)
        server.pause()
        with pytest.raises(Unanswered):
            await link.calls([("INCRBY", "counter", 1), ("SET", "big", bytes(10_000_000))])
        with pytest.raises(Absent):
            await link.call("INCR", "counter")
        server.resume()
        await until(lambda: link.call("PING"), "the server answers again")
        assert await link.call("GET", "counter") in {b"0", b"1"}
        await link.close()

    with Proxy(certificate, server.port) as proxy:
        run_async(scenario(proxy.port))


def test_a_call_that_is_cancelled_leaves_no_connection_behind(server: Server, tmp_path: Path) -> None:
    """Whenever that is, before, in and after TLS's handshake, also when the loop ends with it; Python tells if so."""
    certificate = Certificate.make(tmp_path)

    async def is_cancelled(port: int, steps: int) -> bool:
        redis = Redis(addresses=[f"127.0.0.1:{port}"], tls=True)
        link = Link(Route.to(redis, "", credentials=Credentials(ca_file=certificate.ca)), name="hasty")
        call = asyncio.create_task(link.call("PING"))
        for _ in range(steps):
            await asyncio.sleep(0)
        cancelled = call.cancel()
        await asyncio.wait({call})
        await link.close()
        return cancelled

    with Proxy(certificate, server.port) as proxy:
        for steps in itertools.count(1):
            if not run_async(is_cancelled(proxy.port, steps)):
                break
        assert steps > 5
    gc.collect()


def test_an_answer_in_time_counts_even_if_we_were_late(server: Server) -> None:
    """A handler that holds up our loop for longer than an answer may take does not make Redis late."""

    async def scenario() -> None:
        link = hasty(server.address)
        await link.call("PING")
        asked = asyncio.create_task(link.call("ECHO", "in time"))
        await asyncio.sleep(0)
        time.sleep(3)  # noqa: ASYNC251 - this is the handler that holds up the loop
        assert await asked == b"in time"
        assert await link.call("PING") == b"PONG"
        assert link.connections == 1
        await link.close()

    run_async(scenario())


def test_a_server_that_is_gone_is_absent_until_it_is_back(server: Server) -> None:
    """The first call may not know whether it happened; those after it know that it did not."""

    async def scenario() -> None:
        link = server.link()
        await link.call("SET", "key", "kept")
        server.kill()
        with pytest.raises(RedisTrouble):
            await link.call("SET", "key", "lost")
        for _ in range(3):
            with pytest.raises(Absent, match=f"^no connection to {server.address}: Connection refused$"):
                await link.call("SET", "key", "lost")
        server.start()
        assert await link.call("GET", "key") == b"kept"
        assert link.connections == 2
        await link.close()

    run_async(scenario())


def test_killed_in_the_middle_of_a_command(server: Server) -> None:
    """It was sent, and no answer came."""

    async def scenario() -> None:
        link = server.link()
        asked = asyncio.create_task(link.call("BLPOP", "list", 0, wait=30))
        await blocked(server)
        server.kill()
        with pytest.raises(Unanswered, match="closed the connection"):
            await asked
        await link.close()

    run_async(scenario())


def test_half_of_the_answers_are_told(server: Server) -> None:
    """Where a connection breaks among commands that were sent together, the answers that came are kept."""

    async def scenario() -> None:
        link = server.link()
        asked = asyncio.create_task(link.calls([("SET", "a", 1), ("XLEN", "a"), ("BLPOP", "list", 0), ("PING",)]))
        await blocked(server)
        server.kill()
        with pytest.raises(Unanswered, match="2 of 4 answers came") as unanswered:
            await asked
        first, second = unanswered.value.answers
        assert first == b"OK"
        assert isinstance(second, Refused)
        await link.close()

    run_async(scenario())


def test_nothing_is_sent_twice(cable: Cable) -> None:
    """An answer that got lost is not fetched by doing it again."""

    async def scenario() -> None:
        link = hasty(cable.address, "5s")
        await link.call("PING")
        cable.lose_answers()
        with pytest.raises(Unanswered):
            await link.call("INCR", "counter")
        with pytest.raises(Absent):
            await link.calls([("INCR", "counter")])
        cable.mend()
        assert await link.call("GET", "counter") == b"1"
        await link.close()

    run_async(scenario())


def test_an_answer_that_comes_too_late_is_nobodys(cable: Cable) -> None:
    """What was given up for its time cannot come in as the answer to something else."""

    async def scenario() -> None:
        link = hasty(cable.address)
        await link.call("PING")
        cable.hold_answers()
        with pytest.raises(Unanswered):
            await link.call("ECHO", "too late")
        cable.mend()
        assert await link.call("ECHO", "mine") == b"mine"
        await link.close()

    run_async(scenario())


def test_a_connection_that_was_closed_while_idle_is_replaced(server: Server) -> None:
    """Nothing was sent yet, so nothing is doubtful: the call goes out on a new connection."""

    async def scenario() -> None:
        link, other = server.link(), server.link()
        await link.call("PING")
        for _ in range(3):
            assert link.client_id
            server.ask("CLIENT", "KILL", "ID", link.client_id)
            await other.calls([("PING",)])
            await other.calls([("PING",)])
            assert await link.call("INCR", "counter")
        assert server.ask("GET", "counter") == "3"
        assert link.connections == 4
        await link.close()
        await other.close()

    run_async(scenario())


def test_a_server_that_is_full_says_so(server: Server) -> None:
    """No connection, and why."""

    async def scenario() -> None:
        first, second = server.link(), server.link()
        await first.call("CONFIG", "SET", "maxclients", 2)
        assert await first.call("PING") == b"PONG"
        with pytest.raises(Absent, match="max number of clients reached"):
            await second.call("PING")
        await first.close()
        await until(lambda: "connected_clients:1" in str(server.ask("INFO", "clients")), "one has left")
        assert await second.call("PING") == b"PONG"
        await second.close()

    run_async(scenario())


def test_a_server_that_is_busy_says_so(server: Server) -> None:
    """While a script runs too long, commands and new connections are refused, and nobody is thrown out for it."""

    async def scenario() -> None:
        link, new = server.link(), server.link()
        endless = server.link()
        await link.call("CONFIG", "SET", "lua-time-limit", 20)
        running = asyncio.create_task(endless.call("EVAL", "while true do end", 0, wait=30))

        async def is_busy() -> bool:
            (answer,) = await link.calls([("GET", "key")])
            return isinstance(answer, Refused) and answer.code == "BUSY"

        await until(is_busy, "the script takes too long")
        with pytest.raises(Refused, match=r"^BUSY"):
            await new.call("GET", "key")
        await link.call("SCRIPT", "KILL")
        with pytest.raises(Refused):
            await running
        assert await new.call("GET", "key") is None
        assert link.connections == 1
        for one in (link, new, endless):
            await one.close()

    run_async(scenario())


def test_refusals_for_want_of_room_and_of_replicas(server: Server) -> None:
    """They are told by their code, alone and among others, and the connection stays."""

    async def scenario() -> None:
        link = server.link()
        await link.call("CONFIG", "SET", "maxmemory", 1)
        with pytest.raises(Refused) as refused:
            await link.call("SET", "key", 1)
        assert refused.value.code == "OOM"
        await link.call("CONFIG", "SET", "maxmemory", 0)
        await link.call("CONFIG", "SET", "min-replicas-to-write", 1)
        ping, no_replicas = await link.calls([("PING",), ("SET", "key", 1)])
        assert ping == b"PONG"
        assert isinstance(no_replicas, Refused)
        assert no_replicas.code == "NOREPLICAS"
        assert link.connections == 1
        await link.close()

    run_async(scenario())


def test_a_replica_is_left(server: Server) -> None:
    """READONLY means that this is not the server we look for: the next call looks for it anew."""

    async def scenario() -> None:
        link = server.link()
        await link.call("SET", "key", 1)
        server.ask("REPLICAOF", "127.0.0.1", 1)
        with pytest.raises(Refused) as refused:
            await link.call("SET", "key", 2)
        assert refused.value.code == "READONLY"
        assert link.client_id is None
        among = await link.calls([("PING",), ("SET", "key", 3)])
        assert isinstance(among[1], Refused)
        assert link.client_id is None
        server.ask("REPLICAOF", "NO", "ONE")
        assert await link.call("GET", "key") == b"1"
        assert link.connections == 3
        await link.close()

    run_async(scenario())
