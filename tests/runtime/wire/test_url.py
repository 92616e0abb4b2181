"""`--redis URL` describes a Redis as a platform file does, or fails with a hint."""

import re
import sys

import pytest

from penstock.terminal.resolving import redis_of
from penstock.wire.url import read_url, without_secret
from penstock_spec.findings import CannotGoOn
from penstock_spec.platform import Redis

READ = {
    "redis://localhost": Redis(addresses=["localhost:6379"]),
    "redis://localhost/": Redis(addresses=["localhost:6379"]),
    "redis://redis.media.svc:6380/3": Redis(addresses=["redis.media.svc:6380"], database=3),
    "redis://[::1]": Redis(addresses=["[::1]:6379"]),
    "redis://[::1]:6380": Redis(addresses=["[::1]:6380"]),
    "rediss://localhost:1": Redis(addresses=["localhost:1"], tls=True),
    "redis+sentinel://a:1,b/media": Redis(topology="sentinel", addresses=["a:1", "b:26379"], master="media"),
    "rediss+sentinel://a/media/2": Redis(
        topology="sentinel", addresses=["a:26379"], master="media", database=2, tls=True
    ),
    "redis+cluster://a,b:7001": Redis(topology="cluster", addresses=["a:6379", "b:7001"]),
}


@pytest.mark.parametrize(("url", "redis"), READ.items(), ids=READ.keys())
def test_a_url_describes_a_redis(url: str, redis: Redis) -> None:
    """It contains hosts, topology, TLS and database."""
    read, credentials = read_url(url, {})
    assert read == redis
    assert credentials.username is None
    assert credentials.password is None


def test_a_url_can_contain_user_and_password() -> None:
    """Reserved characters are percent-encoded."""
    redis, credentials = read_url("redis://me%40home:p%2Fa%3As%25s@localhost:6379", {"REDIS_CA_FILE": "/ca"})
    assert redis.addresses == ["localhost:6379"]
    assert credentials.username == "me@home"
    assert credentials.password == "p/a:s%s"  # noqa: S105 - of this test
    assert str(credentials.ca_file) == "/ca"


def test_the_environment_completes_a_url() -> None:
    """A password need not appear on the command line."""
    environ = {"REDIS_PASSWORD_FILE": "/file", "REDIS_USERNAME": "other"}
    _, credentials = read_url("redis://me@localhost", environ)
    assert credentials.username == "me"
    assert str(credentials.password_file) == "/file"
    _, credentials = read_url("redis://:secret@localhost", environ)
    assert credentials.username == "other"
    assert (credentials.password, credentials.password_file) == ("secret", None)


WRONG = {
    "localhost:6379": "not the URL of a Redis",
    "http://localhost": "not the URL of a Redis",
    "redis+other://localhost": "not the URL of a Redis",
    "redis://": "not the URL of a Redis",
    "redis:///1": "names no host",
    "redis+cluster://a,": "names no host",
    "redis://localhost:0": "`localhost:0` in the URL of Redis is not a host and a port",
    "redis://localhost:99999": "is not a host and a port",
    "redis://localhost:port": "is not a host and a port",
    "redis://a b:1": "is not a host and a port",
    "redis://a:1,b:2": "names several hosts",
    "redis://localhost/one": "the database in the URL of Redis is not a number",
    "redis://localhost/99999": "the database in the URL of Redis is not a number",
    "redis://localhost/0?ssl=true": "has a `/`, `?` or `#`",
    "redis+sentinel://localhost": "names no master",
    "redis+sentinel://localhost/media/x": "the database in the URL of Redis is not a number",
    "redis+cluster://localhost/1": "no databases to choose from",
}


@pytest.mark.parametrize(("url", "message"), WRONG.items(), ids=WRONG.keys())
def test_an_invalid_url_fails_with_the_valid_forms(url: str, message: str) -> None:
    """The hint lists them."""
    with pytest.raises(CannotGoOn, match=re.escape(message)) as error:
        read_url(url, {})
    assert "redis://host:port" in error.value.hint


@pytest.mark.parametrize(
    "url",
    [
        "redis://me:se/cret@localhost",
        "redis://me:sec?ret@localhost",
        "redis://me:sec#ret@localhost",
        "http://me:secret@localhost",
        "redis://me:secret@localhost:x",
        "redis://me:secret@localhost/x",
        "redis://me:secret@",
        "redis+sentinel://me:secret@localhost",
    ],
)
def test_no_error_contains_a_password(url: str) -> None:
    """Not even a part of a malformed URL is quoted."""
    with pytest.raises(CannotGoOn) as error:
        read_url(url, {})
    shown = f"{error.value.says} {error.value.hint}"
    assert not any(part in shown for part in ("secret", "cret", "me:", "sec?", "sec#"))


@pytest.mark.parametrize(
    ("url", "bare"),
    [
        ("redis://me:se%2Fcret@localhost:1/2", "redis://localhost:1/2"),
        ("rediss+sentinel://me:se%2Fcret@a:1,b:2/media", "rediss+sentinel://a:1,b:2/media"),
        ("redis://:se%2Fcret@[::1]:1", "redis://[::1]:1"),
        ("redis://me@localhost", "redis://localhost"),
        ("redis://localhost", "redis://localhost"),
    ],
)
def test_credentials_of_a_url_can_be_passed_in_the_environment(url: str, bare: str) -> None:
    """A process that gets the rest of the URL and these variables connects to the same place as the same user."""
    environ = {"REDIS_CA_FILE": "/ca", "REDIS_PASSWORD_FILE": "/password", "OTHER": "1"}
    rest, variables = without_secret(url, environ)
    assert rest == bare
    assert read_url(rest, variables) == read_url(url, environ)
    assert variables["OTHER"] == "1"


def test_a_person_who_types_a_password_is_warned(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal only: programs read logs. The warning says where to put it, and does not repeat it."""
    url, default = "redis://me:hunter2@localhost:1", Redis(addresses=["localhost:1"])
    redis_of(url, None, default, {})
    assert not capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    redis_of("redis://me@localhost:1", None, default, {})
    assert not capsys.readouterr().err
    redis_of(url, None, default, {})
    warning = capsys.readouterr().err
    assert "REDIS_PASSWORD" in warning
    assert "hunter2" not in warning
