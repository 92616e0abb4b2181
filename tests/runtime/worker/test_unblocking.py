"""A worker ends its own blocked reads, and never those of other programs."""

import asyncio
from contextlib import suppress

from event_loop import run_async, until
from servers import Server

from penstock.wire.errors import Unanswered
from penstock.worker.unblocking import KnownServer, Unblocking


def test_only_a_reader_of_the_same_server_is_unblocked(server: Server) -> None:
    """Servers number their clients: the same id on another server is another program's client."""

    async def scenario(second: Server) -> None:
        victim = second.link("victim")
        await victim.call("PING")
        reader = server.link("reader")
        await reader.call("PING")
        while reader.client_id != victim.client_id:  # the lower one reconnects, and gets the next number
            lower = min(reader, victim, key=lambda link: link.client_id or 0)
            assert lower.client_id is not None
            (server if lower is reader else second).ask("CLIENT", "KILL", "ID", lower.client_id)
            await lower.call("PING")
        known = KnownServer(reader)
        await known.learn()
        blocked = asyncio.create_task(reader.call("BLPOP", "list", 0, wait=30))
        innocent = asyncio.create_task(victim.call("BLPOP", "list", 0, wait=30))
        await until(lambda: "blocked_clients:1" in str(server.ask("INFO", "clients")), "the reader is blocked")
        await until(lambda: "blocked_clients:1" in str(second.ask("INFO", "clients")), "the victim is blocked")
        same, other = server.link("same"), second.link("other")
        near, far = Unblocking(reader, same), Unblocking(reader, other)
        near.reader_server = far.reader_server = known
        assert not await far.unblock()
        assert await near.unblock()
        assert await blocked is None
        second.ask("RPUSH", "list", "for the victim")
        assert await innocent == [b"list", b"for the victim"]
        for link in (reader, same, other, victim):
            await link.close()

    with Server() as second:
        run_async(scenario(second))


def test_a_reader_that_reconnected_is_not_unblocked(server: Server) -> None:
    """Its server is known for one connection, and must be learnt again."""

    async def scenario() -> None:
        reader, other = server.link("reader"), server.link("other")
        unblocking = Unblocking(reader, other)
        await unblocking.reader_server.learn()
        known = unblocking.reader_server.run_id
        assert known is not None
        server.ask("CLIENT", "KILL", "ID", reader.client_id or 0)
        await until(lambda: f"id={reader.client_id} " not in str(server.ask("CLIENT", "LIST")), "it is disconnected")
        with suppress(Unanswered):
            await reader.call("PING")
        await reader.call("PING")
        assert not await unblocking.unblock()
        await unblocking.reader_server.learn()
        assert unblocking.reader_server.run_id == known
        assert await unblocking.unblock()
        assert await other.call_connected(("PING",), other.connections - 1) is None
        await reader.close()
        await other.close()

    run_async(scenario())
