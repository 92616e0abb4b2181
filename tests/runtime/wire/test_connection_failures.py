"""When the server or its connection fails, a link reports what is known, repeats nothing, and recovers."""

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

from penstock.wire.connection import Address, Connection
from penstock.wire.credentials import Credentials
from penstock.wire.errors import Absent, Oversized, RedisTrouble, Refused, Unanswered
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock.wire.socket import Socket
from penstock_spec.platform import Redis, Timeouts
from penstock_spec.values.quantities import Duration


@pytest.fixture
def cable(server: Server) -> Iterator[Cable]:
    with Cable(server.port) as cable:
        yield cable


def hasty(address: str, answer: str = "1s") -> Link:
    """Return a link with a short timeout for replies."""
    redis = Redis(addresses=[address], timeouts=Timeouts(answer=Duration(answer)))
    return Link(Route.to(redis, "", credentials=Credentials()), name="hasty")


async def blocked(server: Server) -> None:
    await until(lambda: "blocked_clients:1" in str(server.ask("INFO", "clients")), "a client is blocked")


def test_a_cancelled_call_closes_its_connection(server: Server) -> None:
    """Otherwise the next caller would get its reply."""

    async def scenario() -> None:
        link = server.link()
        cancelled = asyncio.create_task(link.call("BLPOP", "list", 0, wait=30))
        await blocked(server)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        assert link.client_id is None
        server.ask("RPUSH", "list", "a late reply")
        assert await link.call("ECHO", "mine") == b"mine"
        assert link.connections == 2
        await link.close()

    run_async(scenario())


def test_a_cancelled_batch_closes_its_connection(server: Server) -> None:
    """The next batch gets its own replies."""

    async def scenario() -> None:
        link = server.link()
        cancelled = asyncio.create_task(link.calls([("PING",), ("BLPOP", "list", 0), ("ECHO", "theirs")]))
        await blocked(server)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        assert link.client_id is None
        server.ask("RPUSH", "list", "a late reply")
        assert await link.calls([("ECHO", "a"), ("ECHO", "b")]) == [b"a", b"b"]
        await link.close()

    run_async(scenario())


def test_a_hanging_server_raises_unanswered_after_the_timeout(server: Server) -> None:
    """The command may have run; the next call uses a new connection."""

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


def test_a_hanging_server_behind_tls_is_dropped_at_once(server: Server, tmp_path: Path) -> None:
    """TLS waits for a closing handshake, which a hanging server never sends."""
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
        await until(lambda: link.call("PING"), "the server replies again")
        assert await link.call("GET", "counter") in {b"0", b"1"}
        await link.close()

    with Proxy(certificate, server.port) as proxy:
        run_async(scenario(proxy.port))


def test_a_call_cancelled_at_any_point_leaks_no_connection(server: Server, tmp_path: Path) -> None:
    """It may be cancelled before, during or after the TLS handshake; Python warns of an open connection."""
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


def test_a_reply_in_time_counts_even_if_the_loop_was_blocked(server: Server) -> None:
    """A handler that blocks the event loop longer than the timeout does not make the reply late."""

    async def scenario() -> None:
        link = hasty(server.address)
        await link.call("PING")
        call = asyncio.create_task(link.call("ECHO", "in time"))
        await asyncio.sleep(0)
        time.sleep(3)  # noqa: ASYNC251 - this is the handler that blocks the loop
        assert await call == b"in time"
        assert await link.call("PING") == b"PONG"
        assert link.connections == 1
        await link.close()

    run_async(scenario())


def test_a_killed_server_raises_absent_until_it_is_back(server: Server) -> None:
    """The outcome of the first call is unknown; later calls were not sent."""

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


def test_a_server_killed_during_a_command_raises_unanswered(server: Server) -> None:
    """The command was sent, and no reply came."""

    async def scenario() -> None:
        link = server.link()
        call = asyncio.create_task(link.call("BLPOP", "list", 0, wait=30))
        await blocked(server)
        server.kill()
        with pytest.raises(Unanswered, match="closed the connection"):
            await call
        await link.close()

    run_async(scenario())


def test_a_broken_batch_keeps_the_replies_that_came(server: Server) -> None:
    """The error contains them."""

    async def scenario() -> None:
        link = server.link()
        batch = asyncio.create_task(link.calls([("SET", "a", 1), ("XLEN", "a"), ("BLPOP", "list", 0), ("PING",)]))
        await blocked(server)
        server.kill()
        with pytest.raises(Unanswered, match="2 of 4 answers came") as unanswered:
            await batch
        first, second = unanswered.value.answers
        assert first == b"OK"
        assert isinstance(second, Refused)
        await link.close()

    run_async(scenario())


def test_a_lost_reply_repeats_no_command(cable: Cable) -> None:
    """The link raises an error instead."""

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


def test_a_late_reply_reaches_no_other_call(cable: Cable) -> None:
    """A reply after the timeout is dropped."""

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


def test_a_connection_closed_while_idle_is_replaced(server: Server) -> None:
    """Nothing was sent on it, so the call is safe to send on a new connection."""

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


def test_a_server_without_free_connections_raises_absent(server: Server) -> None:
    """The error contains the reason."""

    async def scenario() -> None:
        first, second = server.link(), server.link()
        await first.call("CONFIG", "SET", "maxclients", 2)
        assert await first.call("PING") == b"PONG"
        with pytest.raises(Absent, match="max number of clients reached"):
            await second.call("PING")
        await first.close()
        await until(lambda: "connected_clients:1" in str(server.ask("INFO", "clients")), "one client has disconnected")
        assert await second.call("PING") == b"PONG"
        await second.close()

    run_async(scenario())


def test_a_busy_server_refuses_without_closing_connections(server: Server) -> None:
    """While a script runs too long, commands and new connections are refused with BUSY."""

    async def scenario() -> None:
        link, new = server.link(), server.link()
        endless = server.link()
        await link.call("CONFIG", "SET", "lua-time-limit", 20)
        running = asyncio.create_task(endless.call("EVAL", "while true do end", 0, wait=30))

        async def is_busy() -> bool:
            (answer,) = await link.calls([("GET", "key")])
            return isinstance(answer, Refused) and answer.code == "BUSY"

        await until(is_busy, "the script runs too long")
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


def test_refusals_for_memory_and_replicas_keep_the_connection(server: Server) -> None:
    """They carry their code, alone and in a batch."""

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


def test_readonly_closes_the_connection(server: Server) -> None:
    """The server is no longer the master, so the next call looks for the master again."""

    async def scenario() -> None:
        link = server.link()
        await link.call("SET", "key", 1)
        server.ask("REPLICAOF", "127.0.0.1", 1)
        with pytest.raises(Refused) as refused:
            await link.call("SET", "key", 2)
        assert refused.value.code == "READONLY"
        assert link.client_id is None
        batch = await link.calls([("PING",), ("SET", "key", 3)])
        assert isinstance(batch[1], Refused)
        assert link.client_id is None
        server.ask("REPLICAOF", "NO", "ONE")
        assert await link.call("GET", "key") == b"1"
        assert link.connections == 3
        await link.close()

    run_async(scenario())


def test_a_large_answer_over_a_slow_link_arrives(server: Server, cable: Cable) -> None:
    """The time limit bounds the time without any byte, not the whole transfer."""
    server.ask("SET", "big", bytes(3_000_000))

    async def scenario() -> None:
        link = hasty(cable.address, "500ms")
        assert await link.call("PING") == b"PONG"
        cable.slow_down(1_000_000)
        assert await link.call("GET", "big") == bytes(3_000_000)
        assert await link.calls([("GET", "big"), ("PING",)]) == [bytes(3_000_000), b"PONG"]
        assert link.connections == 1
        await link.close()

    run_async(scenario())


def test_a_large_command_over_a_slow_link_is_answered(server: Server, cable: Cable) -> None:
    """While the server receives bytes of a command, its answer is not late."""

    async def scenario() -> None:
        link = hasty(cable.address)
        assert await link.call("PING") == b"PONG"
        cable.slow_down(2_000_000)
        assert await link.call("SET", "big", bytes(12_000_000)) == b"OK"
        assert link.connections == 1
        await link.close()

    run_async(scenario())
    assert server.ask("STRLEN", "big") == 12_000_000


def test_an_answer_that_stops_half_way_is_unanswered(server: Server, cable: Cable) -> None:
    """After the last byte, the time limit starts again."""
    server.ask("SET", "big", bytes(20_000_000))

    async def scenario() -> None:
        link = hasty(cable.address)
        assert await link.call("PING") == b"PONG"
        cable.slow_down(2_000_000)
        call = asyncio.create_task(link.call("GET", "big"))
        await asyncio.sleep(2)
        cable.hold_answers()
        with pytest.raises(Unanswered, match="did not answer within 1 s"):
            await call
        await link.close()

    run_async(scenario())


def test_an_answer_above_the_limit_is_dropped(server: Server) -> None:
    """The reader stops there; the connection is closed, and the next call gets its own answer."""
    server.ask("SET", "big", bytes(5_000_000))

    async def scenario() -> None:
        link = server.link()
        assert await link.call("STRLEN", "big", most=1_000_000) == 5_000_000
        with pytest.raises(Oversized, match="has more than 1000000 bytes"):
            await link.call("GET", "big", most=1_000_000)
        assert await link.call("GETRANGE", "big", 0, 2, most=1_000_000) == bytes(3)
        assert link.connections == 2
        await link.close()

    run_async(scenario())


def test_an_error_before_the_first_command_is_its_reason() -> None:
    """A server at its client limit says so and disconnects before it is asked."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"-ERR max number of clients reached\r\n")
        await writer.drain()
        await reader.read(1)  # the greeting has been sent
        writer.close()

    async def scenario() -> None:
        server = await asyncio.start_server(refuse, "127.0.0.1", 0)
        address = Address("127.0.0.1", server.sockets[0].getsockname()[1])
        socket = Socket(asyncio.get_running_loop())
        await socket.connect(address.host, address.port, None, 10)
        await until(lambda: not socket.is_clean, "the error has arrived")
        with pytest.raises(Unanswered, match="1 of 2 answers came") as error:
            await Connection(socket, address).ask_all(b"*1\r\n$4\r\nPING\r\n" * 2, 2, 10)
        assert str(error.value.answers[0]) == "ERR max number of clients reached"
        server.close()

    run_async(scenario())
