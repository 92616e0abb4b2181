"""Users, passwords and certificates: the right ones connect, errors name the cause, and secrets stay hidden."""

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
    """Return a server with a password and with a user of few permissions."""
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
    """The connection also selects the database."""

    async def scenario() -> None:
        one = link(guarded.address, Credentials(password=SECRET), database=3)
        await one.call("SET", "key", "x")
        assert "db3:keys=1" in str(guarded.ask("INFO", "keyspace"))
        await one.close()

    run_async(scenario())


@pytest.mark.parametrize("source", ["platform", "environment"])
def test_a_user_with_few_permissions_can_connect(guarded: Server, source: str) -> None:
    """Connecting needs only AUTH and SELECT; a forbidden command is refused."""

    async def scenario() -> None:
        if source == "platform":
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


def test_a_wrong_password_names_user_and_address(guarded: Server) -> None:
    """The error does not contain the password."""

    async def scenario() -> None:
        for username, user in (("little", "as user `little`"), (None, "as the default user")):
            one = link(guarded.address, Credentials(password="wrong"), username=username)  # noqa: S106 - it is
            with pytest.raises(Refused) as refused:
                await one.call("PING")
            assert refused.value.code == "WRONGPASS"
            assert f"({guarded.address}, {user})" in str(refused.value)
            assert one.connections == 0
            await one.close()

    run_async(scenario())


def test_a_missing_password_is_refused_with_noauth(guarded: Server) -> None:
    """No connection remains."""

    async def scenario() -> None:
        one = Link(Route.to(Redis(addresses=[guarded.address]), "", credentials=Credentials()), name="test")
        with pytest.raises(Refused) as refused:
            await one.call("PING")
        assert refused.value.code == "NOAUTH"
        assert one.connections == 0
        await one.close()

    run_async(scenario())


def test_a_rotated_secret_is_read_again(guarded: Server, tmp_path: Path) -> None:
    """Each connection reads the file; without the file, the error names it."""
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
    "no password": ({}, "names a secret for Redis, `redis`, but there is no password"),
    "an empty password": ({"REDIS_PASSWORD": ""}, "there is no password"),
    "two passwords": ({"REDIS_PASSWORD": "a", "REDIS_PASSWORD_FILE": "/b"}, "are both set"),
    "no file": ({"REDIS_PASSWORD_FILE": "/nowhere/password"}, "`/nowhere/password`, which cannot be read: No such"),
    "no authorities": ({"REDIS_PASSWORD": "a", "REDIS_CA_FILE": "/nowhere/ca"}, "REDIS_CA_FILE names `/nowhere/ca`"),
}


@pytest.mark.parametrize(("environ", "message"), MISSING.values(), ids=MISSING.keys())
def test_missing_credentials_fail_before_the_first_connection(environ: dict[str, str], message: str) -> None:
    """The hint names the variable to set."""
    with pytest.raises(CannotGoOn, match=message) as error:
        link("127.0.0.1:1", Credentials.from_environment(environ))
    assert error.value.hint


def test_credentials_never_print_their_passwords() -> None:
    """Neither `str` nor `repr` shows them."""
    credentials = Credentials(password=SECRET, sentinel_password=SECRET)
    assert SECRET not in f"{credentials} {credentials!r}"


def test_a_link_works_over_tls(behind_tls: Target) -> None:
    """It needs the certificate of the authority, and a user may log in."""

    async def scenario() -> None:
        one = behind_tls.link("key")
        big = b"x" * 10_000_000
        assert await one.call("SET", "key", big) == b"OK"
        assert await one.call("GET", "key") == big
        assert await one.call("ACL", "WHOAMI") == b"penstock"
        await one.close()

    run_async(scenario())


def test_a_certificate_of_an_unknown_authority_is_refused(behind_tls: Target) -> None:
    """The authorities of the system did not sign it."""

    async def scenario() -> None:
        unknown = Credentials(password=behind_tls.credentials.password)
        one = Link(Route.to(behind_tls.redis, "", credentials=unknown), name="test")
        with pytest.raises(
            Absent, match=r"certificate verify failed.*; if its authority is your own, set REDIS_CA_FILE"
        ):
            await one.call("PING")
        await one.close()

    run_async(scenario())


def test_a_certificate_for_another_name_is_refused(server: Server, tmp_path: Path) -> None:
    """A trusted signature is not enough."""
    certificate = Certificate.make(tmp_path, names="DNS:redis.example")

    async def scenario(port: int) -> None:
        redis = Redis(addresses=[f"127.0.0.1:{port}"], tls=True)
        one = Link(Route.to(redis, "", credentials=Credentials(ca_file=certificate.ca)), name="test")
        with pytest.raises(
            Absent, match=r"certificate is not valid for '127\.0\.0\.1'.*; use an address that its certificate names"
        ):
            await one.call("PING")
        await one.close()

    with Proxy(certificate, server.port) as proxy:
        run_async(scenario(proxy.port))


def test_a_server_without_tls_receives_nothing(server: Server) -> None:
    """Neither the password nor a command is sent unencrypted."""

    async def scenario() -> None:
        redis = Redis(addresses=[server.address], tls=True)
        one = Link(Route.to(redis, "", credentials=Credentials(password=SECRET)), name="test")
        with pytest.raises(Absent):
            await one.call("PING")
        await one.close()

    run_async(scenario())
