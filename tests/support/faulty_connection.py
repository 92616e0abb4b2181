"""A cable between a client and a server, on which answers get lost, wait, or come to an end half-way."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self

LOOPBACK = "127.0.0.1"
CHUNK = 1 << 16


class Cable:
    """Listens on a port of its own and passes on what is said to the server at `port`, in threads.

    What the client says always reaches the server. What becomes of the answers, a test chooses.
    """

    def __init__(self, port: int) -> None:
        self._behind = port
        self._listener = socket.create_server((LOOPBACK, 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._whole = threading.Event()
        self._whole.set()
        self._loses = False
        self.lost = threading.Event()
        """Set when an answer got lost."""

    @property
    def address(self) -> str:
        return f"{LOOPBACK}:{self.port}"

    def lose_answers(self) -> None:
        """From now on an answer of the server ends the connection, and does not arrive."""
        self.lost.clear()
        self._loses = True

    def hold_answers(self) -> None:
        """From now on answers wait."""
        self._whole.clear()

    def mend(self) -> None:
        """All is as it should be; answers that waited arrive."""
        self._loses = False
        self._whole.set()

    def cut(self) -> None:
        """End all connections."""
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
        self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        self.cut()
        for thread in self._threads:
            thread.join()
        for one in (*self._open, self._listener):
            one.close()

    def _start(self, what: object, *arguments: object) -> None:
        assert callable(what)
        thread = threading.Thread(target=what, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._open.append(client)
                try:
                    server = socket.create_connection((LOOPBACK, self._behind))
                except OSError:
                    client.shutdown(socket.SHUT_RDWR)
                    continue
                self._open.append(server)
                self._start(self._ask, client, server)
                self._start(self._answer, server, client)

    def _ask(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while said := client.recv(CHUNK):
                server.sendall(said)
        _end(client, server)

    def _answer(self, server: socket.socket, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while said := server.recv(CHUNK):
                self._whole.wait()
                if self._loses:
                    self.lost.set()
                    break
                client.sendall(said)
        _end(client, server)


def _end(*sockets: socket.socket) -> None:
    for one in sockets:
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
