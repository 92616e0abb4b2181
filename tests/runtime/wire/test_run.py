"""Scripts run by name, whether the server knows them or not, and their errors are told by the inner code."""

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
FORGOTTEN = script(COUNT.text.decode() + " -- as no other test tells it")


def test_a_server_that_does_not_know_a_script_is_told(target: Target) -> None:
    """At first, and again after SCRIPT FLUSH; each time it runs once."""

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


def test_a_restart_forgets_scripts_and_no_harm_is_done(server: Server) -> None:
    """The server that comes back is told again."""

    async def scenario() -> None:
        link = server.link()
        assert await link.run(COUNT, [KEY], [1, ""]) == [1, b""]
        server.restart()

        await until(lambda: link.call("PING"), "the link is there again")
        assert await link.run(COUNT, [KEY], [1, ""]) == [2, b""]
        await link.close()

    run_async(scenario())


class Forgetful(Link):
    """To a server that does not keep what it is told: a slot that is on its way, or a flush between the two."""

    async def call(self, *command: Argument, wait: float = 0.0) -> Reply:
        return b"" if command[0] == "SCRIPT" else await super().call(*command, wait=wait)


def test_a_server_that_keeps_no_script_is_sent_it_whole(target: Target) -> None:
    """It runs once all the same, and whoever wants to know is told each time."""
    told: list[Script] = []

    async def scenario() -> None:
        route = Route.to(target.redis, KEY, credentials=target.credentials)
        link = Forgetful(route, name="test", sent_whole=told.append)
        assert await link.run(FORGOTTEN, [KEY], [2, "x"]) == [2, b"x"]
        assert told == [FORGOTTEN]
        await link.close()

    run_async(scenario())


GROUP = "return redis.call('XREADGROUP', 'GROUP', 'g', 'c', 'STREAMS', KEYS[1], '>')"
ERRORS = {
    "raised by a command": (GROUP, "NOGROUP"),
    "handed on as a value": (GROUP.replace("redis.call", "redis.pcall"), "NOGROUP"),
    "raised behind a write": ("redis.call('SET', KEYS[1], 'x'); return redis.call('XLEN', KEYS[1])", "WRONGTYPE"),
    "of our own making": ("return redis.error_reply('FENCED by another')", "FENCED"),
    "raised with a text of our own": ("error('FENCED by another')", "FENCED"),
    "of Lua": ("return nobody.knows", "ERR"),
    "of a command that is none": ("return redis.call('NOSUCH')", "ERR"),
    "of too few words": ("return redis.call('XADD', KEYS[1])", "ERR"),
    "of syntax": ("return return", "ERR"),
}


@pytest.mark.parametrize(("text", "code"), ERRORS.values(), ids=ERRORS.keys())
def test_an_error_inside_a_script_has_the_inner_code(target: Target, text: str, code: str) -> None:
    """Redis 6.2 wraps it in words of its own, later ones add where it was."""

    async def scenario() -> None:
        link = target.link(KEY)
        with pytest.raises(Refused) as refused:
            await link.run(script(text), [KEY], [])
        assert refused.value.code == code
        await link.close()

    run_async(scenario())


def test_what_redis_refuses_inside_a_script_has_its_code(server: Server) -> None:
    """Room, replicas, the wrong server, rights: the same codes as outside."""
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
