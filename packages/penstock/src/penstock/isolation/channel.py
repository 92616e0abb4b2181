"""Words over a socket, on an event loop: the worker's end, and a child's."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import socket
import threading
from collections.abc import Callable

from penstock.isolation.protocol import Decoder, Packet, ProtocolError, encode

_AT_ONCE = 65536
"""Bytes of one read: above 128 KiB each buffer would be a mapping of its own."""
_READS = 16
"""In a row."""


class Channel:
    """Says and hears words. Any thread may say; hearing happens on the loop."""

    def __init__(
        self, sock: socket.socket, on_packet: Callable[[Packet, bytes], None], on_close: Callable[[], None]
    ) -> None:
        """Listen at once; `on_close` is called when the other end is gone."""
        sock.settimeout(0)
        self._sock = sock
        self._on_packet = on_packet
        self._on_close = on_close
        self._decoder = Decoder()
        self._outbox: collections.deque[tuple[memoryview, socket.socket | None]] = collections.deque()
        self._saying = threading.Lock()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(sock.fileno(), self._on_readable)
        self.closed = False
        """The other end is gone, or this one was closed."""
        self.unread = False
        """The other end was gone before it had read everything."""

    def send(self, packet: Packet, body: bytes = b"", *, hand_over: socket.socket | None = None) -> None:
        """Send a word, and a socket with it, which is then closed here. To nobody, if there is nobody any more."""
        with self._saying:
            if self.closed:
                if hand_over is not None:
                    hand_over.close()
                return
            self._outbox.append((memoryview(encode(packet, body)), hand_over))
            if len(self._outbox) == 1 and not self._push():
                self._loop.call_soon_threadsafe(self._wait_for_room)

    def read_rest(self) -> None:
        """Hear all that was said before the other end was gone."""
        while not self.closed and self._read() > 0:
            pass

    def close(self) -> None:
        """Hang up. Nothing is called any more."""
        if not self.closed:
            self._end()
        self._sock.close()

    def _end(self) -> None:
        self.closed = True
        self._loop.remove_reader(self._sock.fileno())
        self._loop.remove_writer(self._sock.fileno())
        self.unread = self.unread or bool(self._outbox)
        for _, handed_over in self._outbox:
            if handed_over is not None:
                handed_over.close()
        self._outbox.clear()

    def _on_readable(self) -> None:
        """Hear what is there, for a large message in several reads; then it is the turn of others."""
        for _ in range(_READS):
            if self._read() < _AT_ONCE:
                return

    def _read(self) -> int:
        """Read once; how much that was."""
        try:
            data = self._sock.recv(_AT_ONCE)
        except BlockingIOError:
            return 0
        except OSError:  # a reset: what we said last was not read
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
        """Send what goes; whether that is all."""
        while self._outbox:
            data, handed_over = self._outbox[0]
            try:
                sent = (
                    socket.send_fds(self._sock, [data], [handed_over.fileno()])
                    if handed_over
                    else self._sock.send(data)
                )
            except BlockingIOError:
                return False
            except OSError:  # nobody reads any more; the reader will notice
                self.unread = True
                return True
            if handed_over:
                handed_over.close()
            if sent == len(data):
                self._outbox.popleft()
            else:
                self._outbox[0] = data[sent:], None
        return True

    def _wait_for_room(self) -> None:
        if not self.closed:
            self._loop.add_writer(self._sock.fileno(), self._write)

    def _write(self) -> None:
        with self._saying:
            if self._push():
                self._loop.remove_writer(self._sock.fileno())
