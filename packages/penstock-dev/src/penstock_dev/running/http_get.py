"""One question over HTTP to a process of ours on this machine."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from penstock.embedded import LOOPBACK

PATIENCE = 2.0


async def http_get(port: int, path: str) -> str | None:
    """The body of its answer; None where it gives none, or says no."""
    try:
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection(LOOPBACK, port)
            try:
                writer.write(f"GET {path} HTTP/1.1\r\nHost: {LOOPBACK}\r\nConnection: close\r\n\r\n".encode())
                told = await reader.read(-1)
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return None
    head, _, body = told.partition(b"\r\n\r\n")
    status = head.split(b" ", 2)[1:2]
    return body.decode(errors="replace") if status == [b"%d" % HTTPStatus.OK] else None
