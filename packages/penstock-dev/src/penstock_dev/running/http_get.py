"""A minimal HTTP GET to a local process."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from penstock.embedded import LOOPBACK

TIMEOUT = 2.0


async def http_get(port: int, path: str) -> str | None:
    """The body of a 200 response, or None."""
    try:
        async with asyncio.timeout(TIMEOUT):
            reader, writer = await asyncio.open_connection(LOOPBACK, port)
            try:
                writer.write(f"GET {path} HTTP/1.1\r\nHost: {LOOPBACK}\r\nConnection: close\r\n\r\n".encode())
                response = await reader.read(-1)
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return None
    head, _, body = response.partition(b"\r\n\r\n")
    status = head.split(b" ", 2)[1:2]
    return body.decode(errors="replace") if status == [b"%d" % HTTPStatus.OK] else None
