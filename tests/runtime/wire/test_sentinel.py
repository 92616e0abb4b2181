"""With sentinels, a link finds the master, and the next one after a failover."""

import contextlib

import pytest
from event_loop import run_async, until
from servers import DOWN_AFTER, Server
from targets import MASTER, SentinelTarget, role

from penstock.embedded import free_port
from penstock.wire.connection import Address
from penstock.wire.credentials import Credentials
from penstock.wire.errors import Absent, Unanswered
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_spec.findings import CannotGoOn
from penstock_spec.platform import Redis


def test_a_failover_is_found(sentinels: SentinelTarget) -> None:
    """The connection to the old master is given up; a call or two later the new one answers, with all that was kept."""

    async def scenario() -> None:
        link = sentinels.link("key")
        await link.call("SET", "key", "kept")
        for failovers in (1, 2):
            before = sentinels.masters()[0]
            sentinels.failover()
            await until(lambda: link.call("SET", "other", "x"), "the new master takes writes")
            assert sentinels.masters()[0] is not before
            assert sentinels.ask("GET", "other") == "x"
            assert await link.call("GET", "key") == b"kept"
            assert link.connections > failovers
        await link.close()

    run_async(scenario())


def test_a_lost_connection_is_reason_enough_to_ask_again(sentinels: SentinelTarget) -> None:
    """Where the master was is not where to look first."""

    async def scenario() -> None:
        link = sentinels.link("key")
        await link.call("SET", "key", "x")
        before = sentinels.masters()[0]
        sentinels.failover()
        before.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        with contextlib.suppress(Unanswered):
            await link.call("PING")
        assert await link.call("SET", "key", "y") == b"OK"
        assert sentinels.ask("GET", "key") == "y"
        await link.close()

    run_async(scenario())


def test_a_master_that_was_killed_is_replaced(sentinels: SentinelTarget) -> None:
    """Until the sentinel has chosen another there is none; then the link finds it by itself."""
    sentinels.failover()
    killed = sentinels.masters()[0]

    async def scenario() -> None:
        link = sentinels.link("key")
        await link.call("SET", "key", "kept")
        await link.call("WAIT", 1, 0, wait=30)
        sentinels.sentinel.ask("SENTINEL", "SET", MASTER, "down-after-milliseconds", 3000)
        killed.kill()
        await until(lambda: link.call("GET", "key"), "there is a new master")
        await link.close()

    run_async(scenario())
    killed.start()
    sentinels.settle()
    sentinels.sentinel.ask("SENTINEL", "SET", MASTER, "down-after-milliseconds", DOWN_AFTER)


def test_a_replica_is_not_taken_for_the_master(sentinels: SentinelTarget) -> None:
    """A sentinel may still tell of a server that is master no more: it is asked for its role."""

    async def scenario() -> None:
        replica = next(server for server in sentinels.servers if role(server) != "master")
        route = Route.to(sentinels.redis, "key", credentials=sentinels.credentials)
        route.moved(Address.of(replica.address))
        with pytest.raises(Absent, match=f"{replica.address} is not a master now"):
            await route.open("test")
        connection = await route.open("test")
        assert str(connection.address) == sentinels.masters()[0].address
        await connection.drop()

    run_async(scenario())


def test_sentinels_that_are_gone_are_passed_over(sentinels: SentinelTarget) -> None:
    """One that answers is enough."""

    async def scenario() -> None:
        gone = [f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"]
        redis = sentinels.redis.model_copy(update={"addresses": [*gone, sentinels.sentinel.address]})
        link = Link(Route.to(redis, "key", credentials=Credentials()), name="test")
        assert await link.call("PING") == b"PONG"
        await link.close()

    run_async(scenario())


def test_what_no_sentinel_knows_is_absent(sentinels: SentinelTarget, server: Server) -> None:
    """Each is quoted: one that is gone, one that knows no such master, one that is a Redis."""

    async def scenario() -> None:
        gone = f"127.0.0.1:{free_port()}"
        redis = Redis(
            topology="sentinel", addresses=[gone, sentinels.sentinel.address, server.address], master="nobody"
        )
        link = Link(Route.to(redis, "key", credentials=Credentials()), name="test")
        with pytest.raises(Absent) as absent:
            await link.call("PING")
        told = str(absent.value)
        assert f"no connection to {gone}" in told
        assert f"{sentinels.sentinel.address} knows no master `nobody`" in told
        assert "unknown command" in told
        await link.close()

    run_async(scenario())


def test_sentinels_have_a_password_of_their_own(sentinels: SentinelTarget) -> None:
    """That of Redis is not shown to them."""
    sentinels.sentinel.ask("ACL", "SETUSER", "default", "resetpass", ">for sentinels")

    async def scenario() -> None:
        without = Link(Route.to(sentinels.redis, "key", credentials=Credentials(password="no")), name="test")  # noqa: S106 - of a test
        with pytest.raises(Absent, match="NOAUTH"):
            await without.call("PING")
        await without.close()
        known = Credentials.from_environment({"REDIS_SENTINEL_PASSWORD": "for sentinels"})
        link = Link(Route.to(sentinels.redis, "key", credentials=known), name="test")
        assert await link.call("PING") == b"PONG"
        await link.close()

    try:
        run_async(scenario())
    finally:
        sentinels.sentinel.ask("ACL", "SETUSER", "default", "nopass")


def test_sentinels_must_be_told_the_master() -> None:
    """Without its name there is nothing to ask for."""
    redis = Redis(topology="sentinel", addresses=["127.0.0.1:26379"])
    with pytest.raises(CannotGoOn, match="is missing"):
        Route.to(redis, "key", credentials=Credentials())
