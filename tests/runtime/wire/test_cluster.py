"""In a cluster, a link finds the node that holds its key, and follows the key when it moves."""

import hashlib

import pytest
from event_loop import run_async, until
from redis.crc import key_slot
from servers import Node, Server
from targets import ClusterTarget

from penstock.embedded import free_port
from penstock.scripts import Script
from penstock.wire.credentials import Credentials
from penstock.wire.errors import Absent, Refused
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_spec.platform import Redis

APPEND = b"return redis.call('APPEND', KEYS[1], ARGV[1])"
SCRIPT = Script("append", APPEND, hashlib.sha1(APPEND, usedforsecurity=False).hexdigest())
SLOT = key_slot(b"tests")


@pytest.fixture
def empty(cluster: ClusterTarget) -> ClusterTarget:
    cluster.flush()
    return cluster


def test_a_link_connects_to_the_node_of_its_key(empty: ClusterTarget) -> None:
    """The hash tag decides the slot, and the link needs one connection."""

    async def scenario() -> None:
        nodes = set()
        for key in ("a", "b", "c", "streams:{a}:x", "{b}"):
            link = empty.link(key)
            assert await link.call("SET", key, "x") == b"OK"
            assert link.connections == 1
            nodes.add(await Route.to(empty.redis, key, credentials=empty.credentials).find())
            await link.close()
        assert {str(node) for node in nodes} == {node.address for node in empty.servers}

    run_async(scenario())


def test_a_link_follows_a_moved_slot(empty: ClusterTarget) -> None:
    """MOVED: the node did not run the command, so the link sends it to the new node, alone or in a batch."""

    async def scenario() -> None:
        alone, together, scripted = (empty.link("{tests}") for _ in range(3))
        for link in (alone, together, scripted):
            await link.run(SCRIPT, ["{tests}:a"], ["."])
        empty.move(SLOT)
        assert await alone.call("GET", "{tests}:a") == b"..."
        assert alone.connections == 2
        commands = [("APPEND", "{tests}:a", "1"), ("GET", "{tests}:a"), ("XLEN", "{tests}:a")]
        appended, got, refused = await together.calls(commands)
        assert (appended, got) == (4, b"...1")
        assert isinstance(refused, Refused)
        assert refused.code == "WRONGTYPE"
        assert together.connections == 2
        assert await scripted.run(SCRIPT, ["{tests}:a"], ["2"]) == 5
        assert await scripted.run(SCRIPT, ["{tests}:a"], ["3"]) == 6
        assert empty.ask("GET", "{tests}:a") == "...123"
        for link in (alone, together, scripted):
            await link.close()

    run_async(scenario())


def test_a_link_works_during_the_migration_of_its_slot(empty: ClusterTarget) -> None:
    """ASK: the link asks the new node for missing keys, and keeps asking the old node first."""

    async def scenario() -> None:
        link = empty.link("{tests}")
        await link.call("SET", "{tests}:old", "stays")
        source, destination = empty.begin_move(SLOT)
        assert await link.call("GET", "{tests}:old") == b"stays"
        assert await link.call("SET", "{tests}:new", "moved") == b"OK"
        commands = [("GET", "{tests}:old"), ("APPEND", "{tests}:new", "!"), ("GET", "{tests}:new")]
        assert await link.calls(commands) == [b"stays", 6, b"moved!"]
        assert await link.run(SCRIPT, ["{tests}:new"], ["?"]) == 7
        assert await link.run(SCRIPT, ["{tests}:new"], ["?"]) == 8
        assert destination.ask("CLUSTER", "COUNTKEYSINSLOT", SLOT) == 1
        with pytest.raises(Refused) as refused:
            await link.call("DEL", "{tests}:old", "{tests}:new")
        assert refused.value.code == "TRYAGAIN"
        assert link.connections == 1
        empty.end_move(SLOT, source, destination)
        assert await link.call("DEL", "{tests}:old", "{tests}:new") == 2
        assert link.connections == 2
        await link.close()

    run_async(scenario())


def test_commands_for_an_unreachable_slot_are_reported_as_not_run(empty: ClusterTarget) -> None:
    """The batch returns MOVED for each, next to the replies of the others; the link does not run them later."""

    async def scenario() -> None:
        link = empty.link("{tests}")
        await link.call("SET", "{tests}", 1)
        empty.move(SLOT)
        killed = empty.holder(SLOT)
        killed.kill()
        try:
            answers = await link.calls([("PING",), ("INCR", "{tests}"), ("PING",), ("INCR", "{tests}")])
            assert (answers[0], answers[2]) == (b"PONG", b"PONG")
            assert [one.code for one in answers if isinstance(one, Refused)] == ["MOVED", "MOVED"]
            with pytest.raises(Absent):
                await link.call("INCR", "{tests}")
        finally:
            killed.start()
        await until(lambda: link.call("SET", "{tests}", 2), "the node is back")
        await link.close()

    run_async(scenario())


def test_one_reachable_node_is_enough(empty: ClusterTarget) -> None:
    """It tells the link about all other nodes."""

    async def scenario() -> None:
        for node in empty.servers:
            unreachable = f"127.0.0.1:{free_port()}"
            redis = Redis(topology="cluster", addresses=[unreachable, node.address])
            link = Link(Route.to(redis, "{tests}", credentials=Credentials()), name="test")
            assert await link.call("SET", "{tests}", "x") == b"OK"
            await link.close()

    run_async(scenario())


def test_discovered_nodes_are_remembered(empty: ClusterTarget) -> None:
    """When the only node of the platform file is down, the link asks the nodes that it discovered."""
    listed, owner = empty.servers[0], empty.holder(SLOT)
    if listed is owner:
        listed = empty.servers[1]

    async def scenario() -> None:
        redis = Redis(topology="cluster", addresses=[listed.address])
        route = Route.to(redis, "{tests}", credentials=Credentials())
        assert str(await route.find()) == owner.address
        listed.kill()
        try:
            route.forget()
            assert str(await route.find()) == owner.address
        finally:
            listed.start()

    run_async(scenario())


def test_an_unreachable_cluster_raises_absent() -> None:
    """The error quotes what happened at every node."""

    async def scenario() -> None:
        redis = Redis(topology="cluster", addresses=[f"127.0.0.1:{free_port()}"])
        link = Link(Route.to(redis, "{tests}", credentials=Credentials()), name="test")
        with pytest.raises(Absent, match=f"knows the node of slot {SLOT}: no connection to {redis.addresses[0]}"):
            await link.call("PING")
        await link.close()

    run_async(scenario())


def test_a_node_without_slots_is_reported() -> None:
    """An unfinished cluster shows in the error."""

    async def scenario(node: Server) -> None:
        redis = Redis(topology="cluster", addresses=[node.address])
        link = Link(Route.to(redis, "{tests}", credentials=Credentials()), name="test")
        with pytest.raises(Absent, match="knows no node that serves slot"):
            await link.call("PING")
        await link.close()

    with Node() as alone:
        run_async(scenario(alone))


def test_a_server_without_cluster_support_is_reported(server: Server) -> None:
    """A wrong topology in the platform file shows in the error."""

    async def scenario() -> None:
        redis = Redis(topology="cluster", addresses=[server.address])
        link = Link(Route.to(redis, "{tests}", credentials=Credentials()), name="test")
        with pytest.raises(Absent, match="cluster support disabled"):
            await link.call("PING")
        await link.close()

    run_async(scenario())
