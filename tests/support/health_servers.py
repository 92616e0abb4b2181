"""A server of health and metrics that runs, and how to ask it."""

from __future__ import annotations

import http.client
import socket
from dataclasses import dataclass, field

from patience import PATIENCE
from prometheus_client import CollectorRegistry

from penstock.observe.board import Board
from penstock.observe.health import HealthServer
from penstock.observe.heart import Heart
from penstock.observe.page import Pages
from penstock.observe.readiness import Readiness


@dataclass
class HttpReply:
    """What came back."""

    status: int
    body: bytes
    headers: dict[str, str]


@dataclass
class HealthEndpoints:
    """A server, what it looks at, and a client."""

    limit: float = 5.0
    heart: Heart = field(default_factory=Heart)
    readiness: Readiness = field(default_factory=Readiness)
    board: Board = field(default_factory=Board)
    registry: CollectorRegistry = field(default_factory=CollectorRegistry)

    def __post_init__(self) -> None:
        self.server = HealthServer(self.heart, self.limit, self.readiness, Pages(self.board, self.registry))
        self.server.start("127.0.0.1", 0)

    def ask(self, path: str, method: str = "GET", **headers: str) -> HttpReply:
        """One request, on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        try:
            connection.request(method, path, headers=headers)
            response = connection.getresponse()
            return HttpReply(response.status, response.read(), dict(response.getheaders()))
        finally:
            connection.close()

    def connect(self) -> socket.socket:
        """A connection that says nothing yet."""
        return socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE)

    def send_raw(self, data: bytes) -> bytes:
        """Whatever is sent, and all that comes back until the server hangs up."""
        with self.connect() as connection:
            connection.sendall(data)
            return read_all(connection)


def read_all(connection: socket.socket) -> bytes:
    """Until the other side hangs up."""
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)
