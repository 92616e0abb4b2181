"""Sends and receives packets over a socket, on an event loop; worker and child have one end each."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import socket
import threading
from collections.abc import Callable

from penstock.isolation.protocol import Decoder, Packet, ProtocolError, encode

_AT_ONCE = 65536
"""Bytes per read: above 128 KiB, malloc would map each buffer separately."""
_READS = 16
"""Reads in a row before other sockets get their turn."""


class Channel:
    """Sends and receives packets. Any thread may send; packets are received on the loop."""

    def __init__(
        self, sock: socket.socket, on_packet: Callable[[Packet, bytes], None], on_close: Callable[[], None]
    ) -> None:
        """Start to receive; `on_close` is called when the other end is closed."""
        sock.settimeout(0)
        self._sock = sock
        self._on_packet = on_packet
        self._on_close = on_close
        self._decoder = Decoder()
        self._outbox: collections.deque[tuple[memoryview, socket.socket | None]] = collections.deque()
        self._sending = threading.Lock()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(sock.fileno(), self._on_readable)
        self.closed = False
        """Whether one of both ends is closed."""
        self.unread = False
        """Whether the other end closed before it had read everything."""

    def send(self, packet: Packet, body: bytes = b"", *, pass_socket: socket.socket | None = None) -> None:
        """Send a packet, and a socket with it, which is then closed here. Does nothing on a closed channel."""
        with self._sending:
            if self.closed:
                if pass_socket is not None:
                    pass_socket.close()
                return
            self._outbox.append((memoryview(encode(packet, body)), pass_socket))
            if len(self._outbox) == 1 and not self._push():
                self._loop.call_soon_threadsafe(self._wait_for_room)

    def read_rest(self) -> None:
        """Receive everything that was sent before the other end closed."""
        while not self.closed and self._read() > 0:
            pass

    def close(self) -> None:
        """Close this end; no callback is called afterwards."""
        if not self.closed:
            self._end()
        self._sock.close()

    def _end(self) -> None:
        self.closed = True
        self._loop.remove_reader(self._sock.fileno())
        self._loop.remove_writer(self._sock.fileno())
        self.unread = self.unread or bool(self._outbox)
        for _, passed in self._outbox:
            if passed is not None:
                passed.close()
        self._outbox.clear()

    def _on_readable(self) -> None:
        """Read several times, because large messages need that."""
        for _ in range(_READS):
            if self._read() < _AT_ONCE:
                return

    def _read(self) -> int:
        """Read once, and return the number of bytes."""
        try:
            data = self._sock.recv(_AT_ONCE)
        except BlockingIOError:
            return 0
        except OSError:  # a reset: the last packet was not read
            self.unread = True
            data = b""
        with contextlib.suppress(ProtocolError):
            for packet, body in self._decoder.feed(data):
                self._on_packet(packet, body)
                if self.closed:
                    return 0
            if data:
                return len(data)
        self._end()
        self._on_close()
        return 0

    def _push(self) -> bool:
        """Send as much as the socket accepts; return whether that is everything."""
        while self._outbox:
            data, passed = self._outbox[0]
            try:
                sent = socket.send_fds(self._sock, [data], [passed.fileno()]) if passed else self._sock.send(data)
            except BlockingIOError:
                return False
            except OSError:  # the other end is closed; the next read notices
                self.unread = True
                return True
            if passed:
                passed.close()
            if sent == len(data):
                self._outbox.popleft()
            else:
                self._outbox[0] = data[sent:], None
        return True

    def _wait_for_room(self) -> None:
        if not self.closed:
            self._loop.add_writer(self._sock.fileno(), self._write)

    def _write(self) -> None:
        with self._sending:
            if self._push():
                self._loop.remove_writer(self._sock.fileno())
