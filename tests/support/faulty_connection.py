"""A proxy between a client and a server that loses, delays or cuts off replies."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from types import TracebackType
from typing import Self

LOOPBACK = "127.0.0.1"
CHUNK = 1 << 16


class Cable:
    """Listens on a free port and forwards to the server at `port`, in threads.

    Every request reaches the server, except after `hold_all`. The test chooses what happens to the replies.
    """

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._listener = socket.create_server((LOOPBACK, 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._forwards = threading.Event()
        self._forwards.set()
        self._asks = threading.Event()
        self._asks.set()
        self._drops = False
        self._speed: float | None = None
        self._turn = threading.Lock()
        self._vanished: list[threading.Event] = []
        self._ends = threading.Event()
        self.lost = threading.Event()
        """Set when a reply was lost."""

    @property
    def address(self) -> str:
        return f"{LOOPBACK}:{self.port}"

    def lose_answers(self) -> None:
        """From now on, drop the connection instead of forwarding a reply."""
        self.lost.clear()
        self._drops = True

    def hold_answers(self) -> None:
        """From now on, hold replies back."""
        self._forwards.clear()

    def hold_all(self) -> None:
        """From now on, hold requests and replies back, like a network that drops all packets."""
        self._asks.clear()
        self._forwards.clear()

    def slow_down(self, bytes_per_second: float) -> None:
        """From now on, all connections share a link of this speed, in each direction."""
        self._speed = bytes_per_second

    def vanish(self) -> None:
        """Forward nothing more on the connections that are open now, and do not close them. New ones work."""
        vanished, self._vanished = self._vanished, []
        for one in vanished:
            one.set()

    def mend(self) -> None:
        """Work normally again, and forward the held replies."""
        self._drops = False
        self._speed = None
        self._asks.set()
        self._forwards.set()

    def cut(self) -> None:
        """Close all connections."""
        for one in self._open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.mend()
        self._ends.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        self.cut()
        for thread in self._threads:
            thread.join()
        for one in (*self._open, self._listener):
            one.close()

    def _start(self, target: object, *arguments: object) -> None:
        assert callable(target)
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._open.append(client)
                try:
                    server = socket.create_connection((LOOPBACK, self._server_port))
                except OSError:
                    client.shutdown(socket.SHUT_RDWR)
                    continue
                self._open.append(server)
                vanished = threading.Event()
                self._vanished.append(vanished)
                self._start(self._ask, client, server, vanished)
                self._start(self._answer, server, client, vanished)

    def _ask(self, client: socket.socket, server: socket.socket, vanished: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(CHUNK):
                self._asks.wait()
                if vanished.is_set():
                    self._ends.wait()
                    break
                self._take_time(len(data))
                server.sendall(data)
        if vanished.is_set():
            self._ends.wait()
        _end(client, server)

    def _answer(self, server: socket.socket, client: socket.socket, vanished: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(CHUNK):
                self._forwards.wait()
                if vanished.is_set():
                    self._ends.wait()
                    break
                if self._drops:
                    self.lost.set()
                    break
                self._take_time(len(data))
                client.sendall(data)
        if vanished.is_set():
            self._ends.wait()
        _end(client, server)

    def _take_time(self, size: int) -> None:
        """Take as long as a slow link needs for this many bytes."""
        speed = self._speed  # another thread may mend the link now
        if speed is not None:
            with self._turn:
                time.sleep(size / speed)


def _end(*sockets: socket.socket) -> None:
    for one in sockets:
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
