"""In a cluster a link finds the node that holds its key, and follows the key when it moves."""

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


def test_each_key_has_its_node(empty: ClusterTarget) -> None:
    """A link goes straight to the node that serves its key's slot; the hash tag decides."""

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


def test_a_slot_that_moved_is_followed(empty: ClusterTarget) -> None:
    """MOVED: the command was not run, so it is sent to where the slot is now, alone or among others."""

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


def test_a_slot_on_the_move_is_served(empty: ClusterTarget) -> None:
    """ASK: what the old node has not, the new one is asked for, and the old one stays the first to ask."""

    async def scenario() -> None:
        link = empty.link("{tests}")
        await link.call("SET", "{tests}:old", "stays")
        source, destination = empty.begin_move(SLOT)
        assert await link.call("GET", "{tests}:old") == b"stays"
        assert await link.call("SET", "{tests}:new", "goes on") == b"OK"
        commands = [("GET", "{tests}:old"), ("APPEND", "{tests}:new", "!"), ("GET", "{tests}:new")]
        assert await link.calls(commands) == [b"stays", 8, b"goes on!"]
        assert await link.run(SCRIPT, ["{tests}:new"], ["?"]) == 9
        assert await link.run(SCRIPT, ["{tests}:new"], ["?"]) == 10
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


def test_a_slot_that_moved_out_of_reach(empty: ClusterTarget) -> None:
    """What was not run is told so, beside the answers to what was; nothing is done later in its stead."""

    async def scenario() -> None:
        link = empty.link("{tests}")
        await link.call("SET", "{tests}", 1)
        empty.move(SLOT)
        gone = empty.holder(SLOT)
        gone.kill()
        try:
            answers = await link.calls([("PING",), ("INCR", "{tests}"), ("PING",), ("INCR", "{tests}")])
            assert (answers[0], answers[2]) == (b"PONG", b"PONG")
            assert [one.code for one in answers if isinstance(one, Refused)] == ["MOVED", "MOVED"]
            with pytest.raises(Absent):
                await link.call("INCR", "{tests}")
        finally:
            gone.start()
        await until(lambda: link.call("SET", "{tests}", 2), "the node is there again")
        await link.close()

    run_async(scenario())


def test_a_node_that_is_gone_is_not_needed(empty: ClusterTarget) -> None:
    """Any one of the nodes of the platform file is enough to find the others."""

    async def scenario() -> None:
        for node in empty.servers:
            gone = f"127.0.0.1:{free_port()}"
            redis = Redis(topology="cluster", addresses=[gone, node.address])
            link = Link(Route.to(redis, "{tests}", credentials=Credentials()), name="test")
            assert await link.call("SET", "{tests}", "x") == b"OK"
            await link.close()

    run_async(scenario())


def test_nodes_that_were_learnt_are_remembered(empty: ClusterTarget) -> None:
    """When the only node of the platform file is gone, those that it told of are asked."""
    named, served = empty.servers[0], empty.holder(SLOT)
    if named is served:
        named = empty.servers[1]

    async def scenario() -> None:
        redis = Redis(topology="cluster", addresses=[named.address])
        route = Route.to(redis, "{tests}", credentials=Credentials())
        assert str(await route.find()) == served.address
        named.kill()
        try:
            route.forget()
            assert str(await route.find()) == served.address
        finally:
            named.start()

    run_async(scenario())


def test_a_cluster_that_cannot_be_reached_is_absent() -> None:
    """With what every node said."""

    async def scenario() -> None:
        redis = Redis(topology="cluster", addresses=[f"127.0.0.1:{free_port()}"])
        link = Link(Route.to(redis, "{tests}", credentials=Credentials()), name="test")
        with pytest.raises(Absent, match=f"tells who serves slot {SLOT}: no connection to {redis.addresses[0]}"):
            await link.call("PING")
        await link.close()

    run_async(scenario())


def test_a_node_without_slots_says_so() -> None:
    """A cluster that nobody has put together yet shows in words."""

    async def scenario(node: Server) -> None:
        redis = Redis(topology="cluster", addresses=[node.address])
        link = Link(Route.to(redis, "{tests}", credentials=Credentials()), name="test")
        with pytest.raises(Absent, match="knows nobody who serves slot"):
            await link.call("PING")
        await link.close()

    with Node() as alone:
        run_async(scenario(alone))


def test_a_server_that_is_no_cluster_says_so(server: Server) -> None:
    """The wrong topology in a platform file shows in words."""

    async def scenario() -> None:
        redis = Redis(topology="cluster", addresses=[server.address])
        link = Link(Route.to(redis, "{tests}", credentials=Credentials()), name="test")
        with pytest.raises(Absent, match="cluster support disabled"):
            await link.call("PING")
        await link.close()

    run_async(scenario())
