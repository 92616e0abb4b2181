"""Users, passwords and certificates: let in with the right ones, told clearly what is wrong, and never shown."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import targets
from event_loop import run_async
from servers import Server
from targets import Target
from tls import Certificate, Proxy

from penstock.wire.credentials import Credentials
from penstock.wire.errors import Absent, RedisTrouble, Refused
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_spec.findings import CannotGoOn
from penstock_spec.platform import Auth, Redis

SECRET = "pass word"  # noqa: S105 - of a server of this test


@pytest.fixture
def guarded(server: Server) -> Server:
    """A server that wants a password, and knows a user that may do little."""
    server.ask("CONFIG", "SET", "requirepass", SECRET)
    server.ask("ACL", "SETUSER", "little", "on", f">{SECRET}", "~mine:*", "+get", "+select")
    return server


@pytest.fixture(scope="module")
def behind_tls() -> Iterator[Target]:
    with targets.start("tls") as target:
        yield target


def link(address: str, credentials: Credentials, *, username: str | None = None, database: int = 0) -> Link:
    redis = Redis(addresses=[address], database=database, auth=Auth(secret="redis", username=username))  # noqa: S106 - its name
    return Link(Route.to(redis, "", credentials=credentials), name="test")


def test_the_default_user_needs_only_a_password(guarded: Server) -> None:
    """And the database is chosen on the way."""

    async def scenario() -> None:
        one = link(guarded.address, Credentials(password=SECRET), database=3)
        await one.call("SET", "key", "x")
        assert "db3:keys=1" in str(guarded.ask("INFO", "keyspace"))
        await one.close()

    run_async(scenario())


@pytest.mark.parametrize("said_by", ["platform", "environment"])
def test_a_user_that_may_do_little_is_enough(guarded: Server, said_by: str) -> None:
    """Of all that is said when connecting, only AUTH and SELECT must be allowed; what else is not, is refused."""

    async def scenario() -> None:
        if said_by == "platform":
            one = link(guarded.address, Credentials(password=SECRET), username="little", database=1)
        else:
            environ = {"REDIS_USERNAME": "little", "REDIS_PASSWORD": SECRET}
            one = link(guarded.address, Credentials.from_environment(environ), username="overruled", database=1)
        assert await one.call("GET", "mine:key") is None
        assert one.client_id is None
        for command in (("SET", "mine:key", "x"), ("GET", "others:key")):
            with pytest.raises(Refused) as refused:
                await one.call(*command)
            assert refused.value.code == "NOPERM"
        assert one.connections == 1
        await one.close()

    run_async(scenario())


def test_a_wrong_password_is_told_with_who_and_where(guarded: Server) -> None:
    """But not the password."""

    async def scenario() -> None:
        for username, told in (("little", "as user `little`"), (None, "as the default user")):
            one = link(guarded.address, Credentials(password="wrong"), username=username)  # noqa: S106 - it is
            with pytest.raises(Refused) as refused:
                await one.call("PING")
            assert refused.value.code == "WRONGPASS"
            assert f"({guarded.address}, {told})" in str(refused.value)
            assert one.connections == 0
            await one.close()

    run_async(scenario())


def test_no_password_where_one_is_needed(guarded: Server) -> None:
    """Redis's own word for it, and no connection."""

    async def scenario() -> None:
        one = Link(Route.to(Redis(addresses=[guarded.address]), "", credentials=Credentials()), name="test")
        with pytest.raises(Refused) as refused:
            await one.call("PING")
        assert refused.value.code == "NOAUTH"
        assert one.connections == 0
        await one.close()

    run_async(scenario())


def test_a_secret_that_was_rotated_is_taken_up(guarded: Server, tmp_path: Path) -> None:
    """The file is read for every connection; while it is away there is none, and that is told."""
    file = tmp_path / "password"
    file.write_text(f"{SECRET}\n")

    async def scenario() -> None:
        one = link(guarded.address, Credentials.from_environment({"REDIS_PASSWORD_FILE": str(file)}))
        assert await one.call("PING") == b"PONG"
        guarded.ask("CONFIG", "SET", "requirepass", "rotated")
        guarded.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        file.unlink()
        with pytest.raises(RedisTrouble):
            await one.calls([("PING",), ("PING",)])
        with pytest.raises(Absent, match=f"{file}: No such file"):
            await one.call("PING")
        file.write_text("rotated")
        assert await one.call("PING") == b"PONG"
        assert one.connections == 2
        await one.close()

    run_async(scenario())


MISSING = {
    "no password": ({}, "names a secret for Redis, `redis`, and there is no password"),
    "an empty password": ({"REDIS_PASSWORD": ""}, "there is no password"),
    "two passwords": ({"REDIS_PASSWORD": "a", "REDIS_PASSWORD_FILE": "/b"}, "are both set"),
    "no file": ({"REDIS_PASSWORD_FILE": "/nowhere/password"}, "`/nowhere/password`, which cannot be read: No such"),
    "no authorities": ({"REDIS_PASSWORD": "a", "REDIS_CA_FILE": "/nowhere/ca"}, "REDIS_CA_FILE names `/nowhere/ca`"),
}


@pytest.mark.parametrize(("environ", "says"), MISSING.values(), ids=MISSING.keys())
def test_what_is_missing_is_told_before_the_first_connection(environ: dict[str, str], says: str) -> None:
    """With the variable to set."""
    with pytest.raises(CannotGoOn, match=says) as told:
        link("127.0.0.1:1", Credentials.from_environment(environ))
    assert told.value.hint


def test_a_password_is_not_shown() -> None:
    """Whatever prints credentials."""
    credentials = Credentials(password=SECRET, sentinel_password=SECRET)
    assert SECRET not in f"{credentials} {credentials!r}"


def test_tls_and_a_user(behind_tls: Target) -> None:
    """With the authority's certificate, all works as without."""

    async def scenario() -> None:
        one = behind_tls.link("key")
        big = b"x" * 10_000_000
        assert await one.call("SET", "key", big) == b"OK"
        assert await one.call("GET", "key") == big
        assert await one.call("ACL", "WHOAMI") == b"penstock"
        await one.close()

    run_async(scenario())


def test_a_certificate_of_an_unknown_authority_is_refused(behind_tls: Target) -> None:
    """The system's authorities do not know ours."""

    async def scenario() -> None:
        unknown = Credentials(password=behind_tls.credentials.password)
        one = Link(Route.to(behind_tls.redis, "", credentials=unknown), name="test")
        with pytest.raises(Absent, match="certificate verify failed"):
            await one.call("PING")
        await one.close()

    run_async(scenario())


def test_a_certificate_for_another_name_is_refused(server: Server, tmp_path: Path) -> None:
    """Who it was made for counts, not only who signed it."""
    certificate = Certificate.make(tmp_path, names="DNS:redis.example")

    async def scenario(port: int) -> None:
        redis = Redis(addresses=[f"127.0.0.1:{port}"], tls=True)
        one = Link(Route.to(redis, "", credentials=Credentials(ca_file=certificate.ca)), name="test")
        with pytest.raises(Absent, match=r"certificate is not valid for '127\.0\.0\.1'"):
            await one.call("PING")
        await one.close()

    with Proxy(certificate, server.port) as proxy:
        run_async(scenario(proxy.port))


def test_a_server_without_tls_is_not_talked_to(server: Server) -> None:
    """Neither a password nor a command goes out in the open."""

    async def scenario() -> None:
        redis = Redis(addresses=[server.address], tls=True)
        one = Link(Route.to(redis, "", credentials=Credentials(password=SECRET)), name="test")
        with pytest.raises(Absent):
            await one.call("PING")
        await one.close()

    run_async(scenario())
