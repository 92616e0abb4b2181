"""A small synchronous client for assertions: a socket, hiredis, and nothing of the code under test."""

from __future__ import annotations

import select
import socket
from typing import TypeAlias

import hiredis
from patience import PATIENCE

Reply: TypeAlias = "str | int | hiredis.ReplyError | list[Reply] | None"
"""An answer with its texts decoded; bytes that are no text stand as `\\xff`."""


class RawClient:
    """One connection. An error is raised as `hiredis.ReplyError`."""

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
        told: Reply = answer
        return told

    def is_closed(self) -> bool:
        """Whether the other side has hung up."""
        return bool(select.select([self._socket], [], [], 0)[0])

    def close(self) -> None:
        self._socket.close()
