"""A Redis that requires client certificates (mutual TLS): a real server with `tls-auth-clients yes`."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from event_loop import run_async
from servers import Server
from targets import TlsServer
from tls import LOOPBACK, Certificate

from penstock.terminal.resolving import redis_of
from penstock.wire.credentials import Credentials
from penstock.wire.errors import Absent, Unanswered
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_spec.findings import CannotGoOn
from penstock_spec.platform import Certificate as NamedCertificate
from penstock_spec.platform import Redis

pytestmark = pytest.mark.needs("redis-server")
SPEC = """\
kind: pipeline
name: trial
owner: {team: tests}
handler: handlers:handle
image: registry.example/trial:1.0.0
"""
PLATFORM = """\
kind: platform
environments:
  dev: {namespace: trial, redis: {addresses: ["127.0.0.1:6379"]}, routes: {default: {slack: "#tests"}}}
"""


@dataclass(frozen=True, slots=True)
class Strict:
    """The server, and the files of a client that it accepts."""

    server: Server
    redis: Redis
    environ: dict[str, str]
    authority: Certificate


@pytest.fixture
def strict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Strict]:
    monkeypatch.setenv("PENSTOCK_TEST_SERVER", str(shutil.which("redis-server")))  # others may not speak TLS
    authority = Certificate.make(tmp_path)
    certificate, key = authority.client(tmp_path)
    files = (
        f"tls-cert-file {authority.certificate}",
        f"tls-key-file {authority.key}",
        f"tls-ca-cert-file {authority.ca}",
    )
    with TlsServer("tls-auth-clients yes", *files) as server:
        redis = Redis(addresses=[f"{LOOPBACK}:{server.tls_port}"], tls=True)
        environ = {"REDIS_CA_FILE": authority.ca, "REDIS_CERT_FILE": certificate, "REDIS_KEY_FILE": key}
        yield Strict(server, redis, {name: str(file) for name, file in environ.items()}, authority)


def link(redis: Redis, environ: dict[str, str]) -> Link:
    return Link(Route.to(redis, "", credentials=Credentials.from_environment(environ)), name="test")


async def ping(redis: Redis, environ: dict[str, str]) -> object:
    one = link(redis, environ)
    try:
        return await one.call("PING")
    finally:
        await one.close()


def test_a_client_with_a_certificate_is_accepted(strict: Strict) -> None:
    assert run_async(ping(strict.redis, strict.environ)) == b"PONG"


def test_a_client_without_a_certificate_is_told_that_one_is_missing(strict: Strict) -> None:
    """The server only ends the connection; the error names the variables to set."""
    with pytest.raises(Absent, match="REDIS_CERT_FILE"):
        run_async(ping(strict.redis, {"REDIS_CA_FILE": strict.environ["REDIS_CA_FILE"]}))


def test_a_certificate_of_another_authority_is_refused(strict: Strict, tmp_path: Path) -> None:
    (other := tmp_path / "other").mkdir()
    certificate, key = Certificate.make(other).client(other)
    foreign = {**strict.environ, "REDIS_CERT_FILE": str(certificate), "REDIS_KEY_FILE": str(key)}
    with pytest.raises(Absent) as error:
        run_async(ping(strict.redis, foreign))
    assert "REDIS_CERT_FILE and REDIS_KEY_FILE" not in str(error.value), "they are set"


def test_a_plain_port_is_named_as_such(strict: Strict) -> None:
    """A Redis without TLS does not answer, as it waits for the end of a line."""
    plain = strict.redis.model_copy(update={"addresses": [strict.server.address]})
    with pytest.raises(Absent, match="this port does not speak TLS"):
        run_async(ping(plain, strict.environ))


def test_a_renewed_certificate_is_used_at_the_next_connection(strict: Strict, tmp_path: Path) -> None:
    """As with a password, no new pod is needed. A half-written file is named, and retried."""
    key = Path(strict.environ["REDIS_KEY_FILE"])
    whole = key.read_text()

    async def scenario() -> None:
        one = link(strict.redis, strict.environ)
        assert await one.call("PING") == b"PONG"
        strict.server.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        await asyncio.to_thread(key.write_text, whole[:40])
        with suppress(Unanswered, Absent):  # the call in flight when the server disconnects
            await one.call("PING")
        with pytest.raises(Absent, match=f"`{key}` \\(REDIS_KEY_FILE\\)"):
            await one.call("PING")
        await asyncio.to_thread(strict.authority.client, tmp_path)
        assert await one.call("PING") == b"PONG"
        await one.close()

    run_async(scenario())


def test_wrong_files_fail_before_the_first_connection(strict: Strict, tmp_path: Path) -> None:
    """Each error names the variable and the file, and nothing of its content."""
    certificate, key, ca = (strict.environ[f"REDIS_{name}_FILE"] for name in ("CERT", "KEY", "CA"))
    (empty := tmp_path / "empty.pem").write_text("s3cret")
    locked = tmp_path / "locked.key"
    subprocess.run(["openssl", "pkey", "-in", key, "-aes256", "-passout", "pass:s3cret", "-out", locked], check=True)
    _, other = strict.authority.client(tmp_path, "another")
    wrong = {
        "only a certificate": ({"REDIS_CERT_FILE": certificate}, "needs both"),
        "only a key": ({"REDIS_KEY_FILE": key}, "needs both"),
        "no such file": ({"REDIS_CERT_FILE": "/nowhere", "REDIS_KEY_FILE": key}, "REDIS_CERT_FILE names `/nowhere`"),
        "no certificate": ({"REDIS_CERT_FILE": str(empty), "REDIS_KEY_FILE": key}, f"`{empty}` (REDIS_CERT_FILE)"),
        "no authority": ({"REDIS_CA_FILE": str(empty)}, f"REDIS_CA_FILE names `{empty}`"),
        "a passphrase": (
            {"REDIS_CERT_FILE": certificate, "REDIS_KEY_FILE": str(locked)},
            "encrypted with a passphrase",
        ),
        "another key": ({"REDIS_CERT_FILE": certificate, "REDIS_KEY_FILE": str(other)}, "does not belong"),
    }
    for name, (environ, message) in wrong.items():
        with pytest.raises(CannotGoOn) as error:
            link(strict.redis, {"REDIS_CA_FILE": ca, **environ})
        assert message in error.value.says, name
        assert error.value.hint, name
        assert "s3cret" not in f"{error.value.says} {error.value.hint}", name


def test_a_certificate_without_tls_is_refused(strict: Strict) -> None:
    """The connection would be in plain text."""
    with pytest.raises(CannotGoOn, match="has no TLS"):
        link(Redis(addresses=[strict.server.address]), strict.environ)


def test_a_certificate_of_the_platform_file_must_be_given(strict: Strict) -> None:
    """A pod gets it from the secret; on a laptop the hint names the variables."""
    named = strict.redis.model_copy(update={"certificate": NamedCertificate(secret="redis-client")})  # noqa: S106 - a name
    with pytest.raises(CannotGoOn, match="`redis-client`") as error:
        redis_of(None, None, named, {"REDIS_CA_FILE": strict.environ["REDIS_CA_FILE"]})
    assert "REDIS_CERT_FILE" in error.value.hint
    assert redis_of(None, None, named, strict.environ)[0] is None


def test_verbs_take_the_files_as_options(strict: Strict, tmp_path: Path) -> None:
    """`penstock status` connects with them, and without them says which are missing."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "trial.yaml").write_text(SPEC)
    (tmp_path / "penstock.yaml").write_text(PLATFORM)
    url = f"rediss://{strict.redis.addresses[0]}"
    names = {"--redis-ca": "REDIS_CA_FILE", "--redis-cert": "REDIS_CERT_FILE", "--redis-key": "REDIS_KEY_FILE"}
    options = [word for option, name in names.items() for word in (option, strict.environ[name])]

    def status(*more: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", "penstock", "status", "--env", "dev", "--redis", url, *more]
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert "trial" in status(*options).stdout
    missing = status(*options[:2])
    assert missing.returncode != 0
    assert "REDIS_CERT_FILE" in missing.stdout + missing.stderr
    assert "Traceback" not in missing.stderr
