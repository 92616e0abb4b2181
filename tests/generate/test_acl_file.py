"""`acl.txt` grants the same rights as `penstock acl`, and opens no user without a password."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import hiredis
import pytest
from raw_client import RawClient
from servers import Server

from penstock.embedded import LOOPBACK

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.fixture
def files(repository: Path, penstock: Run) -> list[Path]:
    assert penstock("generate").returncode == 0
    return sorted((repository / "generated/production").glob("*/acl.txt"))


def apply(server: Server, lines: str) -> None:
    """Run the commands as `redis-cli` does from its standard input; no word contains a blank."""
    for line in lines.splitlines():
        assert '"' not in line
        assert server.ask(*line.split()) == "OK"


def users(server: Server) -> dict[str, object]:
    """The flags, passwords and sorted rights of each user."""
    names = server.ask("ACL", "USERS")
    assert isinstance(names, list)
    rights: dict[str, object] = {}
    for name in (one for one in names if one != "default"):
        flat = server.ask("ACL", "GETUSER", str(name))
        assert isinstance(flat, list)
        user = dict(zip(flat[::2], flat[1::2], strict=True))
        rights[str(name)] = {key: sorted(str(value).split()) for key, value in user.items()}
    return rights


def test_all_files_together_grant_what_the_command_prints(files: list[Path], penstock: Run, server: Server) -> None:
    """In any order and repeatedly: a file keeps the rights that another file gave to the janitor."""
    assert len(files) == 7
    for file in (*files, *reversed(files)):
        apply(server, file.read_text())
    by_files = users(server)
    for name in by_files:
        server.ask("ACL", "DELUSER", name)
    apply(server, penstock("acl", "--env", "production").stdout)
    assert by_files == users(server)
    assert len(by_files) == 3 * 5 + 1 + 2


def test_lines_of_a_pipelines_own_users_match_the_command(files: list[Path], penstock: Run) -> None:
    printed = penstock("acl", "specs/jobs.yaml", "--env", "production").stdout.splitlines()
    [jobs] = [file for file in files if file.parent.name == "jobs"]
    lines = jobs.read_text().splitlines()
    assert lines[:3] == printed[:3]
    assert [line.split()[2] for line in lines[3:]] == ["penstock-janitor", "penstock-operator"]


def test_a_user_without_a_password_cannot_log_in(files: list[Path], server: Server) -> None:
    """A new user is off; one that is on keeps its password and must give it."""
    [lines] = [file.read_text() for file in files if file.parent.name == "agent-queue"]
    apply(server, lines)
    [worker] = [name for name in users(server) if name.endswith("-worker")]
    assert "nopass" not in lines
    assert not can_log_in(server, worker, "")
    server.ask("ACL", "SETUSER", worker, "on", ">secret")
    apply(server, lines)
    assert can_log_in(server, worker, "secret")
    assert not can_log_in(server, worker, "")


def can_log_in(server: Server, user: str, password: str) -> bool:
    raw = RawClient(LOOPBACK, server.port)
    try:
        return raw.ask("AUTH", user, password) == "OK"
    except hiredis.ReplyError:
        return False
    finally:
        raw.close()


def test_a_renamed_stream_revokes_the_rights_on_the_old_one(repository: Path, penstock: Run, server: Server) -> None:
    """From the pipeline's own users."""
    file = repository / "generated/production/jobs/acl.txt"
    spec = repository / "specs/jobs.yaml"
    assert penstock("generate").returncode == 0
    apply(server, file.read_text())
    acknowledgement = "acknowledge: [{change: rename-stream, reason: it is drained, until: 2026-02-01}]"
    spec.write_text(f"{spec.read_text().replace('key: jobs', 'key: other')}\n{acknowledgement}\n")
    assert penstock("generate").returncode == 0
    apply(server, file.read_text())
    keys = str(users(server)["jobs-worker"])
    assert "~other" in keys
    assert "{jobs}" not in keys
