"""A link runs scripts by their hash, loads them when needed, and reports the inner code of their errors."""

import hashlib

import pytest
from event_loop import run_async, until
from servers import Server
from targets import Target

from penstock.scripts import Script
from penstock.wire.command import Argument
from penstock.wire.errors import Refused, Reply
from penstock.wire.link import Link
from penstock.wire.route import Route

KEY = "{tests}:key"


def script(text: str) -> Script:
    return Script("test", text.encode(), hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())


COUNT = script("return {redis.call('INCRBY', KEYS[1], ARGV[1]), ARGV[2]}")
FORGOTTEN = script(COUNT.text.decode() + " -- only this test loads it")


def test_an_unknown_script_is_loaded(target: Target) -> None:
    """The link loads it at first and after SCRIPT FLUSH; each time it runs once."""

    async def scenario() -> None:
        link = target.link(KEY)
        assert await link.run(COUNT, [KEY], [2, b"\xff"]) == [2, b"\xff"]
        assert await link.run(COUNT, [KEY], [2, "x"]) == [4, b"x"]
        for server in target.masters():
            server.ask("SCRIPT", "FLUSH")
        assert await link.run(COUNT, [KEY], [2, "x"]) == [6, b"x"]
        assert link.connections == 1
        await link.close()

    run_async(scenario())


def test_a_lost_script_is_reported(target: Target) -> None:
    """Once for each time at which a server lost it; loading it at first is no loss."""
    sent_whole_scripts: list[Script] = []
    lost = script(COUNT.text.decode() + " -- only this test loses it")

    async def scenario() -> None:
        route = Route.to(target.redis, KEY, credentials=target.credentials)
        link = Link(route, name="test", sent_whole=sent_whole_scripts.append)
        for times in range(3):
            assert await link.run(lost, [KEY], [1, "x"]) == [times * 2 + 1, b"x"]
            assert await link.run(lost, [KEY], [1, "x"]) == [times * 2 + 2, b"x"]
            assert sent_whole_scripts == [lost] * times
            for server in target.masters():
                server.ask("SCRIPT", "FLUSH")
        await link.close()

    run_async(scenario())


def test_a_script_is_loaded_again_after_a_restart(server: Server) -> None:
    """The link reconnects and runs it once."""

    async def scenario() -> None:
        link = server.link()
        assert await link.run(COUNT, [KEY], [1, ""]) == [1, b""]
        server.restart()

        await until(lambda: link.call("PING"), "the link has reconnected")
        assert await link.run(COUNT, [KEY], [1, ""]) == [2, b""]
        await link.close()

    run_async(scenario())


class Forgetful(Link):
    """A link to a server that loses scripts at once, as during a slot migration or after a concurrent SCRIPT FLUSH."""

    async def call(self, *command: Argument, wait: float = 0.0, most: int | None = None) -> Reply:
        return b"" if command[0] == "SCRIPT" else await super().call(*command, wait=wait, most=most)


def test_a_script_that_cannot_be_loaded_is_sent_as_text(target: Target) -> None:
    """It runs once, and the callback learns about each such call."""
    sent_whole_scripts: list[Script] = []

    async def scenario() -> None:
        route = Route.to(target.redis, KEY, credentials=target.credentials)
        link = Forgetful(route, name="test", sent_whole=sent_whole_scripts.append)
        assert await link.run(FORGOTTEN, [KEY], [2, "x"]) == [2, b"x"]
        assert sent_whole_scripts == [FORGOTTEN]
        await link.close()

    run_async(scenario())


GROUP = "return redis.call('XREADGROUP', 'GROUP', 'g', 'c', 'STREAMS', KEYS[1], '>')"
ERRORS = {
    "raised by a command": (GROUP, "NOGROUP"),
    "returned as a value": (GROUP.replace("redis.call", "redis.pcall"), "NOGROUP"),
    "raised after a write": ("redis.call('SET', KEYS[1], 'x'); return redis.call('XLEN', KEYS[1])", "WRONGTYPE"),
    "an error reply of the script": ("return redis.error_reply('FENCED by another')", "FENCED"),
    "raised by the script": ("error('FENCED by another')", "FENCED"),
    "of Lua": ("return unknown.field", "ERR"),
    "of an unknown command": ("return redis.call('NOSUCH')", "ERR"),
    "of too few arguments": ("return redis.call('XADD', KEYS[1])", "ERR"),
    "of syntax": ("return return", "ERR"),
}


@pytest.mark.parametrize(("text", "code"), ERRORS.values(), ids=ERRORS.keys())
def test_an_error_inside_a_script_has_the_inner_code(target: Target, text: str, code: str) -> None:
    """Redis 6.2 wraps the message; later versions append the position."""

    async def scenario() -> None:
        link = target.link(KEY)
        with pytest.raises(Refused) as refused:
            await link.run(script(text), [KEY], [])
        assert refused.value.code == code
        await link.close()

    run_async(scenario())


def test_refusals_inside_a_script_keep_their_code(server: Server) -> None:
    """Memory, replicas, role and permissions have the same codes as outside a script."""
    write, link = script("return redis.call('SET', KEYS[1], 'x')"), server.link()

    async def code() -> str:
        with pytest.raises(Refused) as refused:
            await link.run(write, [KEY], [])
        return refused.value.code

    async def scenario() -> None:
        server.ask("CONFIG", "SET", "maxmemory", 1)
        assert await code() == "OOM"
        server.ask("CONFIG", "SET", "maxmemory", 0)
        server.ask("CONFIG", "SET", "min-replicas-to-write", 1)
        assert await code() == "NOREPLICAS"
        server.ask("CONFIG", "SET", "min-replicas-to-write", 0)
        server.ask("REPLICAOF", "127.0.0.1", 1)
        assert await code() == "READONLY"
        assert link.client_id is None
        server.ask("REPLICAOF", "NO", "ONE")
        server.ask("ACL", "SETUSER", "default", "-set")
        assert await code() == "NOPERM"
        server.ask("ACL", "SETUSER", "default", "+set", "resetkeys", "~else")
        assert await code() == "NOPERM"
        await link.close()

    run_async(scenario())
