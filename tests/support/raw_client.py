"""A small synchronous Redis client for assertions: a socket and hiredis, without the code under test."""

from __future__ import annotations

import select
import socket
from typing import TypeAlias

import hiredis
from patience import PATIENCE

Reply: TypeAlias = "str | int | hiredis.ReplyError | list[Reply] | None"
"""A reply with decoded texts; bytes that are not UTF-8 appear as `\\xff`."""


class RawClient:
    """One connection. Raises `hiredis.ReplyError` for an error reply."""

    def __init__(self, host: str, port: int, *, seconds: float = PATIENCE) -> None:
        self._socket = socket.create_connection((host, port), timeout=seconds)
        self._reader = hiredis.Reader(encoding="utf-8", errors="backslashreplace")

    def ask(self, *command: str | bytes | float) -> Reply:
        self._socket.sendall(hiredis.pack_command(command))  # type: ignore[arg-type] # hiredis says a tuple of one
        while (answer := self._reader.gets()) is False:
            received = self._socket.recv(1 << 16)
            if not received:
                raise ConnectionError("the server closed the connection")
            self._reader.feed(received)
        if isinstance(answer, hiredis.ReplyError):
            raise answer
        reply: Reply = answer
        return reply

    def is_closed(self) -> bool:
        """Whether the other side has closed the connection."""
        return bool(select.select([self._socket], [], [], 0)[0])

    def close(self) -> None:
        self._socket.close()
