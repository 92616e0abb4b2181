"""`--embedded`: commands of one repository share one Redis, and no command loses its connection."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from operator_cli import first_line
from patience import PATIENCE
from pipelines import PLATFORM, SPEC
from raw_client import RawClient
from servers import wait_for

from penstock.embedded import LOOPBACK, Embedded, FolderInUse, running_in, shared

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a command in a repository, and kills it after the test if it still runs."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "trial.yaml").write_text(SPEC)
    (tmp_path / "penstock.yaml").write_text(PLATFORM)
    running: list[subprocess.Popen[str]] = []

    def run(*words: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "penstock", *words, "--embedded"],
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process

    yield run
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the repository's Redis."""
    return tmp_path / ".penstock" / "redis"


def port_of(folder: Path) -> int:
    url = running_in(folder)
    assert url
    return int(url.rpartition(":")[2])


def length(port: int) -> object:
    raw = RawClient(LOOPBACK, port)
    try:
        return raw.ask("XLEN", "trial")
    finally:
        raw.close()


def answers(port: int) -> bool:
    try:
        RawClient(LOOPBACK, port).close()
    except OSError:
        return False
    return True


def send_line(process: subprocess.Popen[str], message: str) -> str:
    """Send a message through standard input; return the reported id."""
    assert process.stdin
    process.stdin.write(f"{message}\n")
    process.stdin.flush()
    return first_line(process)


def stored_messages(folder: Path) -> object:
    """Number of messages that the next command reads."""
    with shared(folder) as url:
        return length(int(url.rpartition(":")[2]))


def test_concurrent_commands_share_a_server(start: Start, folder: Path) -> None:
    """The first command starts the server, and every message is stored."""
    for round_ in range(1, 4):
        processes = [start("send", "trial", f'{{"id": "{number}"}}') for number in range(4)]
        outputs = [process.communicate(timeout=PATIENCE) for process in processes]
        assert [process.returncode for process in processes] == [0] * 4, outputs
        assert stored_messages(folder) == 4 * round_


def test_a_server_outlives_its_owner_while_others_use_it(start: Start, folder: Path) -> None:
    """The owner does not wait, the others stay connected, the last one stops the server, and all is stored."""
    owner = start("send", "trial", "--lines")
    send_line(owner, '{"id": "a"}')
    port = port_of(folder)
    other = start("send", "trial", "--lines")
    send_line(other, '{"id": "b"}')
    out, err = owner.communicate(timeout=PATIENCE)
    assert (owner.returncode, out, err) == (0, "", "")
    send_line(other, '{"id": "c"}')
    third = start("send", "trial", '{"id": "d"}')
    assert third.communicate(timeout=PATIENCE)[1] == ""
    assert port_of(folder) == port
    assert length(port) == 4
    assert other.communicate(timeout=PATIENCE)[1] == ""
    wait_for(lambda: not answers(port), "the server stopped")
    assert stored_messages(folder) == 4


def test_a_killed_command_does_not_keep_the_server_running(start: Start, folder: Path) -> None:
    """The server stops with its last command."""
    owner = start("send", "trial", "--lines")
    send_line(owner, '{"id": "a"}')
    other = start("send", "trial", "--lines")
    send_line(other, '{"id": "b"}')
    port = port_of(folder)
    owner.communicate(timeout=PATIENCE)
    assert length(port) == 2
    other.kill()
    other.communicate()
    wait_for(lambda: not answers(port), "the server stopped")
    assert stored_messages(folder) == 2


def test_a_server_that_never_becomes_ready_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Embedded(folder, appendonly=True):
        os.truncate(folder / "url", 0)
        monkeypatch.setattr("penstock.embedded.SECONDS_TO_START", -60.0)
        with pytest.raises(FolderInUse, match="another embedded server runs in") as error, shared(folder):
            pass
    assert error.value.hint == "it is starting or stopping; try again"


def test_files_of_a_killed_owner_are_ignored(start: Start, folder: Path) -> None:
    """Killing the owner stops its server; the next command starts another."""
    owner = start("send", "trial", "--lines")
    send_line(owner, '{"id": "a"}')
    port = port_of(folder)
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    wait_for(lambda: not answers(port), "the server stopped")
    assert running_in(folder) is None
    third = start("send", "trial", '{"id": "b"}')
    assert third.communicate(timeout=PATIENCE)[1] == ""
    assert third.returncode == 0
