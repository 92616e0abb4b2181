"""TLS for tests: certificates of a private authority, made by the `openssl` program, and a proxy that speaks TLS.

The proxy is for servers without TLS, such as those of the wheels.
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


# All extensions that Python 3.13 requires; the system's settings of openssl do not matter.
SETTINGS = """
[req]
distinguished_name = name
prompt = no
[name]
CN = {name}
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = {names}
[client]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = clientAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
"""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A server's certificate and key, and the authority's certificate."""

    ca: Path
    certificate: Path
    key: Path

    @classmethod
    def make(cls, folder: Path, *, names: str = f"DNS:localhost, IP:{LOOPBACK}") -> Certificate:
        """Create an authority and a certificate that it signs for these names."""
        ca, ca_key = folder / "ca.pem", folder / "ca.key"
        certificate = cls(ca, folder / "server.pem", folder / "server.key")
        _openssl(folder, "authority", names, ca_key, ca)
        _openssl(folder, "server", names, certificate.key, certificate.certificate, "-CA", ca, "-CAkey", ca_key)
        return certificate

    def client(self, folder: Path, name: str = "client") -> tuple[Path, Path]:
        """A client's certificate that the same authority signs, and its key."""
        certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
        signed = ("-CA", self.ca, "-CAkey", self.ca.with_suffix(".key"))
        _openssl(folder, "client", "DNS:client", key, certificate, *signed)
        return certificate, key


def _openssl(folder: Path, section: str, names: str, key: Path, certificate: Path, *signed: str | Path) -> None:
    settings = folder / f"{section}.conf"
    settings.write_text(SETTINGS.format(name=f"{section} of tests", names=names))
    command = ("openssl", "req", "-x509", "-config", settings, "-extensions", section, "-days", "2")
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key)
    subprocess.run([*command, *curve, "-out", certificate, *signed], check=True, capture_output=True)


class Proxy:
    """Speaks TLS on a free port and forwards to a server without TLS. Runs in a thread."""

    def __init__(self, certificate: Certificate, port: int) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate.certificate, certificate.key)
        self._server_port = port
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
        while serving := asyncio.all_tasks() - {asyncio.current_task()}:  # a serving task may have started others
            for task in serving:
                task.cancel()
            await asyncio.gather(*serving, return_exceptions=True)
            await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            server_reader, server_writer = await asyncio.open_connection(LOOPBACK, self._server_port)
        except OSError:
            writer.transport.abort()
            return
        try:
            directions = [_pass_on(reader, server_writer), _pass_on(server_reader, writer)]
            # When one side closes the connection, both are closed.
            await asyncio.wait([asyncio.ensure_future(one) for one in directions], return_when=asyncio.FIRST_COMPLETED)
        finally:
            writer.transport.abort()
            server_writer.transport.abort()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
