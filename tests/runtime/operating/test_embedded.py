"""`--embedded`: whatever commands of a repository run at once, they share one Redis, and none is cut off."""

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

from penstock.embedded import LOOPBACK, Embedded, Held, running_in, shared

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a command in a repository; what still runs at the end is killed."""
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
    """Where the repository's Redis is kept."""
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


def say(process: subprocess.Popen[str], line: str) -> str:
    """A message by standard input; what is told of it."""
    assert process.stdin
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
    return first_line(process)


def kept(folder: Path) -> object:
    """Messages that the next command finds."""
    with shared(folder) as url:
        return length(int(url.rpartition(":")[2]))


def test_concurrent_commands_share_a_server(start: Start, folder: Path) -> None:
    """Whoever is first starts the server, and each message is there afterwards."""
    for round_ in range(1, 4):
        together = [start("send", "trial", f'{{"id": "{number}"}}') for number in range(4)]
        told = [process.communicate(timeout=PATIENCE) for process in together]
        assert [process.returncode for process in together] == [0] * 4, told
        assert kept(folder) == 4 * round_


def test_a_server_outlives_its_owner_while_others_use_it(start: Start, folder: Path) -> None:
    """The owner is not held up, the others are not cut off, the last of them ends the server, and all is kept."""
    owner = start("send", "trial", "--lines")
    say(owner, '{"id": "a"}')
    port = port_of(folder)
    other = start("send", "trial", "--lines")
    say(other, '{"id": "b"}')
    out, err = owner.communicate(timeout=PATIENCE)
    assert (owner.returncode, out, err) == (0, "", "")
    say(other, '{"id": "c"}')
    third = start("send", "trial", '{"id": "d"}')
    assert third.communicate(timeout=PATIENCE)[1] == ""
    assert port_of(folder) == port
    assert length(port) == 4
    assert other.communicate(timeout=PATIENCE)[1] == ""
    wait_for(lambda: not answers(port), "the server is gone")
    assert kept(folder) == 4


def test_others_that_are_killed_hold_up_nothing(start: Start, folder: Path) -> None:
    """The server ends with the last of them all the same."""
    owner = start("send", "trial", "--lines")
    say(owner, '{"id": "a"}')
    other = start("send", "trial", "--lines")
    say(other, '{"id": "b"}')
    port = port_of(folder)
    owner.communicate(timeout=PATIENCE)
    assert length(port) == 2
    other.kill()
    other.communicate()
    wait_for(lambda: not answers(port), "the server is gone")
    assert kept(folder) == 2


def test_a_folder_with_a_silent_owner_is_given_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the end it is told, with something to do."""
    with Embedded(folder, appendonly=True):
        os.truncate(folder / "url", 0)
        monkeypatch.setattr("penstock.embedded.SECONDS_TO_START", -60.0)
        with pytest.raises(Held, match="another embedded server runs in") as told, shared(folder):
            pass
    assert told.value.hint == "it is not ready yet, or ends just now; try again"


def test_files_of_a_killed_owner_are_ignored(start: Start, folder: Path) -> None:
    """An owner that is killed takes the server along; the next one starts another."""
    owner = start("send", "trial", "--lines")
    say(owner, '{"id": "a"}')
    port = port_of(folder)
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    wait_for(lambda: not answers(port), "the server is gone")
    assert running_in(folder) is None
    third = start("send", "trial", '{"id": "b"}')
    assert third.communicate(timeout=PATIENCE)[1] == ""
    assert third.returncode == 0
