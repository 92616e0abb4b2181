"""Starts a peer's producer and worker on a server of their own, and stops them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalogue import LEASE, Peer
from environments import APPS, NEWER
from server import Redis, on_core

from penstock.embedded import ServerProcess, find_server, free_port

QUEUE = "bench"
CONCURRENCY = 100
POLL = 0.005
SECONDS_TO_END = 10


class PeerError(Exception):
    """A peer ended early, or did not finish in time."""


@dataclass(frozen=True, slots=True)
class Server:
    """A running Redis."""

    port: int
    pid: int

    @property
    def url(self) -> str:
        """Its address, for the peers."""
        return f"redis://127.0.0.1:{self.port}"


@contextmanager
def redis_server() -> Iterator[Server]:
    """Redis of this machine or, if there is none, the embedded Valkey. It writes nothing to disk."""
    binary = shutil.which("redis-server") or find_server()
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        settings = ("--port", str(port), "--dir", folder, "--save", "", "--appendonly", "no", "--bind", "127.0.0.1")
        process = ServerProcess((binary, *settings), log=Path(folder) / "log")
        try:
            until(lambda: _answers(port), 10, "Redis did not start")
            yield Server(port, process.pid)
        finally:
            process.stop()


def _answers(port: int) -> bool:
    try:
        redis = Redis(port)
    except OSError:
        return False
    answered = redis.ask("PING") == b"PONG"
    redis.close()
    return bool(answered)


def until(true: Callable[[], bool], seconds: float, otherwise: str) -> None:
    """Wait for a condition."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise PeerError(otherwise)
        time.sleep(POLL)


class Run:
    """A peer with a folder, on an empty server."""

    def __init__(self, peer: Peer, server: Server, folder: Path, environ: Mapping[str, str], *, lease: bool) -> None:
        """`lease`: its lease is set to `LEASE`, instead of its default."""
        self.peer = peer
        self.redis = Redis(server.port)
        self.folder = folder
        self._url = server.url
        self._environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))},
            "PEER_URL": server.url,
            "PEER_QUEUE": QUEUE,
            "PEER_CONCURRENCY": str(CONCURRENCY),
            "PEER_REPORT": str(folder / "report"),
            "PYTHONPATH": str(APPS),
            "PYTHONUNBUFFERED": "1",
            **peer.environ,
            **({"PEER_LEASE": str(LEASE)} if lease else {}),
            **environ,
        }
        if peer.environment in ("", NEWER):
            self._write_spec(server, lease=lease)

    def _write_spec(self, server: Server, *, lease: bool) -> None:
        sys.path.insert(0, str(APPS))
        from app_penstock import PLATFORM, SPEC  # noqa: PLC0415 - it is a worker's module, on a path of its own

        (self.folder / "specs").mkdir(exist_ok=True)
        (self.folder / "penstock.yaml").write_text(PLATFORM.format(address=f"127.0.0.1:{server.port}"))
        set_ = f", lease: {LEASE}s" if lease else ""
        spec = SPEC.format(queue=QUEUE, concurrency=CONCURRENCY, lease=set_)
        (self.folder / "specs" / "bench.yaml").write_text(spec)

    @property
    def left(self) -> int:
        """Messages that are not settled."""
        return self.peer.left(self.redis, QUEUE)

    def _command(self, words: Sequence[str]) -> list[str]:
        filled = [word.replace("{url}", self._url).replace("{concurrency}", str(CONCURRENCY)) for word in words]
        return [*on_core(1), *self.peer.command(tuple(filled), QUEUE)]

    @contextmanager
    def producer(self) -> Iterator[Callable[..., float]]:
        """A producer, as a function that gives an order and returns the seconds that it took."""
        with self._log("producer") as log:
            process = subprocess.Popen(  # noqa: S603 - the peer's own command
                self._command(self.peer.producer),
                **self._where,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert process.stdin  # noqa: S101 - it is a pipe
        assert process.stdout  # noqa: S101 - it is a pipe
        orders, answers = process.stdin, process.stdout

        def answer() -> str:
            # A peer may print lines of its own.
            for line in answers:
                if line.startswith(("ready", "{")):
                    return str(line)
            raise PeerError(f"the producer ended: {self._tail('producer')}")

        def order(*words: str | float) -> float:
            orders.write(" ".join(map(str, words)) + "\n")
            orders.flush()
            return float(json.loads(answer())["seconds"])

        try:
            answer()
            yield order
        finally:
            orders.close()
            self._end(process)

    def start(self, *, kill_test: bool = False) -> subprocess.Popen[bytes]:
        """Start a worker."""
        words = (self.peer.kill_worker if kill_test else ()) or self.peer.worker
        with self._log("worker") as log:
            return subprocess.Popen(self._command(words), **self._where, stdout=log, stderr=log)  # noqa: S603

    @property
    def _where(self) -> Any:  # noqa: ANN401 - keywords of Popen
        return {"cwd": self.folder, "env": self._environ, "start_new_session": True}

    def _log(self, name: str) -> Any:  # noqa: ANN401 - an open file
        return (self.folder / f"{name}.log").open("ab")

    def _tail(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")[-3000:]

    def report(self, name: str, worker: subprocess.Popen[bytes], seconds: float) -> dict[str, Any]:
        """Wait for a report of the worker."""
        path = self.folder / f"report.{name}"

        def there() -> bool:
            if worker.poll() is not None and not path.exists():
                raise PeerError(f"the worker ended with {worker.returncode}: {self._tail('worker')}")
            return path.exists()

        until(there, seconds, f"no report `{name}` after {seconds:.0f} s: {self._tail('worker')}")
        figures: dict[str, Any] = json.loads(path.read_text())
        return figures

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """SIGKILL a worker with all its processes."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self, process: subprocess.Popen[bytes]) -> None:
        """Stop a worker."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        self._end(process)

    @staticmethod
    def _end(process: subprocess.Popen[Any]) -> None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(SECONDS_TO_END)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
