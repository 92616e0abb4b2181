"""The common code of pods runs an unknown role like workers, schedulers and janitors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import pytest
from patience import PATIENCE
from servers import Server, wait_for

from penstock.observe.events import Event

PROGRAM = Path(__file__).parent / "programs" / "relay.py"
SUPPORT = Path(__file__).parents[2] / "support"
SOURCE, TARGET = "{trial}:from", "{trial}:to"


class RelayProcess:
    """A process of the role in `programs/relay.py`."""

    def __init__(self, folder: Path, server: Server, live: float, fatal: float) -> None:
        self.folder = folder
        self._log = folder / "log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, PROGRAM, folder, server.address, str(live), str(fatal)],
                env={**os.environ, "PYTHONPATH": str(SUPPORT)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def log(self) -> str:
        return self._log.read_text()

    def events(self, event: Event) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self.log().splitlines() if line.startswith("{")]
        return [line for line in lines if line.get("event") == event]

    def until(self, event: Event) -> None:
        """Wait for a line with this event."""
        wait_for(lambda: self.events(event) or self.process.poll() is not None, event)
        assert self.events(event), self.log()

    def page(self, path: str) -> tuple[int, str]:
        """Status and body of a response."""
        port = self.events(Event.HTTP_LISTENING)[0]["port"]
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def until_ready(self) -> None:
        self.until(Event.HTTP_LISTENING)
        wait_for(lambda: self.page("/readyz")[0] == 200, "`/readyz` succeeds")

    def create(self, name: str) -> None:
        """Create a file that makes the role fail."""
        (self.folder / name).touch()

    def exit_code(self) -> int:
        return self.process.wait(PATIENCE)


@pytest.fixture
def relay(tmp_path: Path, server: Server) -> Iterator[Callable[..., RelayProcess]]:
    """Starts the role; it stops with the test."""
    with ExitStack() as stack:

        def start(live: float = 60, fatal: float = 240) -> RelayProcess:
            return stack.enter_context(RelayProcess(tmp_path, server, live, fatal))

        yield start


def test_a_role_starts_and_reports_its_health(relay: Callable[..., RelayProcess], server: Server) -> None:
    """It logs its fields, serves probes, metrics and the health of Redis, and does its work."""
    pod = relay()
    pod.until_ready()
    (line,) = pod.events(Event.WORKER_STARTED)
    assert (line["environment"], line["logger"]) == ("tests", "relay")
    assert pod.page("/livez") == (200, "alive\n")
    assert json.loads(pod.page("/internal/health/redis")[1])["source"] is True
    assert "penstock_info{" in pod.page("/metrics")[1]
    server.ask("RPUSH", SOURCE, "a", "b")
    wait_for(lambda: server.ask("LRANGE", TARGET, 0, -1) == ["a", "b"], "both entries are moved")

    server.ask("DEL", SOURCE)
    server.ask("SET", SOURCE, "not a list")
    wait_for(lambda: pod.page("/internal/health/redis")[0] == 503, "a new check sees it")
    assert json.loads(pod.page("/internal/health/redis")[1])["error"] == "WRONGTYPE"


def test_a_signal_drains(relay: Callable[..., RelayProcess]) -> None:
    """During the drain the pod is alive and not ready. Then it exits with the role's code."""
    pod = relay()
    pod.until_ready()
    pod.create("stuck")
    pod.process.terminate()
    wait_for(lambda: pod.page("/readyz")[0] == 503, "`/readyz` fails")
    assert "draining" in pod.page("/readyz")[1]
    assert pod.page("/livez")[0] == 200
    (pod.folder / "stuck").unlink()
    assert pod.exit_code() == 0
    (received,), (stopped,) = pod.events(Event.SIGNAL_RECEIVED), pod.events(Event.WORKER_STOPPED)
    assert (received["signal"], stopped["exit_code"]) == ("SIGTERM", 0)


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_the_process_at_once(relay: Callable[..., RelayProcess], second: signal.Signals) -> None:
    """Whatever delays the drain."""
    pod = relay()
    pod.until_ready()
    pod.create("stuck")
    pod.process.terminate()
    pod.until(Event.SIGNAL_RECEIVED)
    pod.process.send_signal(second)
    assert pod.exit_code() == 128 + second
    (line,) = pod.events(Event.SIGNAL_REPEATED)
    assert line["signal"] == second.name


def test_a_part_that_fails_ends_the_pod(relay: Callable[..., RelayProcess], server: Server) -> None:
    """It drains and exits with 70; the log has the part and the place, without the text of the error."""
    pod = relay()
    pod.until_ready()
    pod.create("broken")
    assert pod.exit_code() == 70
    (line,) = pod.events(Event.PART_FAILED)
    assert (line["part"], line["error"]) == ("breaks", "ValueError")
    assert "relay.py" in line["at"]
    assert "secret" not in pod.log()
    server.ask("PING")


def test_a_blocked_event_loop_ends_the_pod(relay: Callable[..., RelayProcess]) -> None:
    """`/livez`, served by another thread, fails first; then the process exits."""
    pod = relay(live=2, fatal=15)
    pod.until_ready()
    pod.create("blocked")
    wait_for(lambda: pod.page("/livez")[0] == 503, "`/livez` fails")
    assert pod.exit_code() == 70
    (line,) = pod.events(Event.LOOP_BLOCKED)
    assert line["seconds"] >= 15


def test_busy_threads_do_not_block_the_exit(relay: Callable[..., RelayProcess]) -> None:
    """Such as a handler that ignores its cancellation."""
    pod = relay()
    pod.until_ready()
    pod.create("busy")
    wait_for(lambda: "penstock_info{" in pod.page("/metrics")[1], "`/metrics` is served")
    pod.process.terminate()
    assert pod.exit_code() == 0


def test_changed_files_restart_the_pod(relay: Callable[..., RelayProcess]) -> None:
    """It drains, so that the next process reads the new files."""
    pod = relay()
    pod.until_ready()
    pod.create("changed")
    assert pod.exit_code() == 0
    assert pod.events(Event.FILES_CHANGED)
    assert not pod.events(Event.SIGNAL_RECEIVED)
