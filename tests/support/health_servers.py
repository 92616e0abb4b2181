"""A running server of health and metrics, with a client."""

from __future__ import annotations

import http.client
import socket
from dataclasses import dataclass, field

from patience import PATIENCE
from prometheus_client import CollectorRegistry

from penstock.observe.collector import Collector
from penstock.observe.health import HealthServer
from penstock.observe.heartbeat import Heartbeat
from penstock.observe.page import Pages
from penstock.observe.readiness import Readiness


@dataclass
class HttpReply:
    """An HTTP response."""

    status: int
    body: bytes
    headers: dict[str, str]


@dataclass
class HealthEndpoints:
    """A server, what it reports on, and a client."""

    limit: float = 5.0
    heartbeat: Heartbeat = field(default_factory=Heartbeat)
    readiness: Readiness = field(default_factory=Readiness)
    collector: Collector = field(default_factory=Collector)
    registry: CollectorRegistry = field(default_factory=CollectorRegistry)

    def __post_init__(self) -> None:
        self.server = HealthServer(self.heartbeat, self.limit, self.readiness, Pages(self.collector, self.registry))
        self.server.start("127.0.0.1", 0)

    def ask(self, path: str, method: str = "GET", **headers: str) -> HttpReply:
        """Send one request on a new connection."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        try:
            connection.request(method, path, headers=headers)
            response = connection.getresponse()
            return HttpReply(response.status, response.read(), dict(response.getheaders()))
        finally:
            connection.close()

    def connect(self) -> socket.socket:
        """Open a connection and send nothing."""
        return socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE)

    def send_raw(self, data: bytes) -> bytes:
        """Send raw bytes and return everything until the server closes the connection."""
        with self.connect() as connection:
            connection.sendall(data)
            return read_all(connection)


def read_all(connection: socket.socket) -> bytes:
    """Read until the other side closes the connection."""
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)
