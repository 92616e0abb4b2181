"""When a worker dies, every process that it has started ends."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from child_processes import PROGRAMS, children_of, is_alive, until_ended
from event_loop import run_async

from penstock.isolation import lifeline, memory

ACTIONS = ["wait", "ignore", "hold_the_gil", "start_and_ignore"]


@pytest.fixture
def worker() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, str(Path(PROGRAMS) / "killed_worker.py"), PROGRAMS, "actions:make", *ACTIONS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def pids_printed_by(worker: subprocess.Popen[str]) -> list[int]:
    assert worker.stdout
    return [int(worker.stdout.readline()) for _ in ACTIONS]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_children_end_with_their_worker(worker: subprocess.Popen[str], how: signal.Signals) -> None:
    """This holds for any cause of death, and for children that wait, hold the GIL or run a program."""
    programs = pids_printed_by(worker)
    (fork_server,) = children_of(worker.pid)
    children = children_of(fork_server)
    assert len(children) == len(ACTIONS)
    worker.send_signal(how)

    async def scenario() -> None:
        await until_ended(fork_server, *children, *programs)

    run_async(scenario())


def test_orphans_end_with_their_worker(worker: subprocess.Popen[str]) -> None:
    """Their fork server died earlier."""
    programs = pids_printed_by(worker)
    (fork_server,) = children_of(worker.pid)
    children = children_of(fork_server)
    os.kill(fork_server, signal.SIGKILL)

    async def scenario() -> None:
        await until_ended(fork_server)
        assert all(map(is_alive, (*children, *programs)))
        worker.kill()
        await until_ended(*children, *programs)

    run_async(scenario())


def test_a_fork_server_that_imports_ends_with_its_worker(tmp_path: Path) -> None:
    """It does not read its socket during the import."""
    (tmp_path / "actions.py").write_text(
        "import os, re\nprint(os.getpid(), flush=True)\nre.match(r'(a+)+$', 'a' * 64 + 'b')\n"
    )
    command = [sys.executable, str(Path(PROGRAMS) / "killed_worker.py"), str(tmp_path), "actions:make", "wait"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout
        fork_server = int(worker.stdout.readline())
        worker.kill()
        run_async(until_ended(fork_server))


def test_children_notice_the_end_by_their_socket() -> None:
    """Without a lifeline, a child whose loop runs still ends."""
    command = [sys.executable, str(Path(PROGRAMS) / "killed_worker.py"), PROGRAMS, "without_lifeline:make", "wait"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout
        child = int(worker.stdout.readline())
        worker.kill()
        run_async(until_ended(child))


def test_systems_other_than_linux_have_no_lifeline(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have neither such signals nor such limits."""
    monkeypatch.setattr(sys, "platform", "darwin")
    limit = resource.getrlimit(resource.RLIMIT_DATA)
    assert lifeline.hold(-1) is None
    memory.die_first()
    with memory.MemoryLimit(1):
        assert resource.getrlimit(resource.RLIMIT_DATA) == limit
