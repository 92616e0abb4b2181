"""TLS for tests: certificates of an authority of our own, made by the `openssl` program, and a proxy that speaks it.

The proxy is for servers that cannot: the wheels' servers are built without TLS.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

LOOPBACK = "127.0.0.1"
CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Certificate:
    """A server's certificate and key, and who signed it."""

    ca: Path
    certificate: Path
    key: Path

    @classmethod
    def make(cls, folder: Path, *, names: str = f"DNS:localhost,IP:{LOOPBACK}") -> Certificate:
        """An authority, and a certificate for these names that it signed."""
        made = cls(folder / "ca.pem", folder / "server.pem", folder / "server.key")
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
        _openssl("req", "-x509", *key, "-keyout", folder / "ca.key", "-out", made.ca, "-subj", "/CN=authority of tests")
        _openssl(
            *("req", "-x509", *key, "-keyout", made.key, "-out", made.certificate, "-subj", "/CN=server of tests"),
            *("-CA", made.ca, "-CAkey", folder / "ca.key", "-addext", f"subjectAltName={names}"),
            *("-addext", "basicConstraints=critical,CA:FALSE"),
        )
        return made


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


class Proxy:
    """Speaks TLS on a port of its own, and passes on what is said to a server that does not. Runs in a thread."""

    def __init__(self, certificate: Certificate, port: int) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate.certificate, certificate.key)
        self._behind = port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="tls-proxy", daemon=True)
        self.port = 0

    def __enter__(self) -> Self:
        self._thread.start()
        serving = asyncio.start_server(self._serve, LOOPBACK, 0, ssl=self._context)
        self._server = asyncio.run_coroutine_threadsafe(serving, self._loop).result()
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        self._server.close()
        serving = asyncio.all_tasks() - {asyncio.current_task()}
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            behind_reader, behind_writer = await asyncio.open_connection(LOOPBACK, self._behind)
        except OSError:
            writer.transport.abort()
            return
        try:
            ways = [_pass_on(reader, behind_writer), _pass_on(behind_reader, writer)]
            # Whoever hangs up hangs up for both.
            await asyncio.wait([asyncio.ensure_future(way) for way in ways], return_when=asyncio.FIRST_COMPLETED)
        finally:
            writer.transport.abort()
            behind_writer.transport.abort()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
