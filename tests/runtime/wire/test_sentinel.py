"""With sentinels, a link finds the master, and the new one after a failover."""

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


def test_a_link_follows_a_failover(sentinels: SentinelTarget) -> None:
    """It leaves the old master, and soon reaches the new one with all replicated data."""

    async def scenario() -> None:
        link = sentinels.link("key")
        await link.call("SET", "key", "kept")
        for failovers in (1, 2):
            before = sentinels.masters()[0]
            sentinels.failover()
            await until(lambda: link.call("SET", "other", "x"), "the new master accepts writes")
            assert sentinels.masters()[0] is not before
            assert sentinels.ask("GET", "other") == "x"
            assert await link.call("GET", "key") == b"kept"
            assert link.connections > failovers
        await link.close()

    run_async(scenario())


def test_a_lost_connection_asks_the_sentinels_again(sentinels: SentinelTarget) -> None:
    """The link does not first try the address of the old master."""

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


def test_a_killed_master_is_replaced(sentinels: SentinelTarget) -> None:
    """Once the sentinels have elected another master, the link finds it."""
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


def test_a_replica_is_not_accepted_as_master(sentinels: SentinelTarget) -> None:
    """A sentinel may name a former master, so the link checks the role of the server."""

    async def scenario() -> None:
        replica = next(server for server in sentinels.servers if role(server) != "master")
        route = Route.to(sentinels.redis, "key", credentials=sentinels.credentials)
        route.moved(Address.of(replica.address))
        with pytest.raises(Absent, match=f"{replica.address} is not a master now"):
            await route.open("test")
        connection = await route.open("test")
        assert str(connection.address) == sentinels.masters()[0].address
        connection.drop()

    run_async(scenario())


def test_one_reachable_sentinel_is_enough(sentinels: SentinelTarget) -> None:
    """Unreachable sentinels are skipped."""

    async def scenario() -> None:
        unreachable = [f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"]
        redis = sentinels.redis.model_copy(update={"addresses": [*unreachable, sentinels.sentinel.address]})
        link = Link(Route.to(redis, "key", credentials=Credentials()), name="test")
        assert await link.call("PING") == b"PONG"
        await link.close()

    run_async(scenario())


def test_an_unknown_master_raises_absent(sentinels: SentinelTarget, server: Server) -> None:
    """The error quotes each address: one is unreachable, one does not know the name, one is no sentinel."""

    async def scenario() -> None:
        unreachable = f"127.0.0.1:{free_port()}"
        redis = Redis(
            topology="sentinel", addresses=[unreachable, sentinels.sentinel.address, server.address], master="nobody"
        )
        link = Link(Route.to(redis, "key", credentials=Credentials()), name="test")
        with pytest.raises(Absent) as absent:
            await link.call("PING")
        message = str(absent.value)
        assert f"no connection to {unreachable}" in message
        assert f"{sentinels.sentinel.address} knows no master `nobody`" in message
        assert "unknown command" in message
        await link.close()

    run_async(scenario())


def test_sentinels_have_their_own_password(sentinels: SentinelTarget) -> None:
    """They never receive the password of Redis."""
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


def test_sentinels_need_the_name_of_the_master() -> None:
    """The platform file must contain `master`."""
    redis = Redis(topology="sentinel", addresses=["127.0.0.1:26379"])
    with pytest.raises(CannotGoOn, match="is missing"):
        Route.to(redis, "key", credentials=Credentials())
