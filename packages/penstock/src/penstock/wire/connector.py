"""Opens connections: sets up TLS, then user, password, database and name in one round trip."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass

from penstock.wire.command import pack
from penstock.wire.connection import Address, Connection
from penstock.wire.credentials import BadCertificateError, Credentials
from penstock.wire.errors import Absent, Refused, Reply, Unanswered, reason
from penstock.wire.socket import Socket
from penstock.wire.tls_hints import tls_hint
from penstock_spec.platform import Redis, Timeouts

OPTIONAL_ERRORS = frozenset({"NOPERM", "ERR"})
"""Errors of servers or ACLs that do not allow CLIENT or ROLE, which can be ignored."""


@dataclass(frozen=True, slots=True)
class Connector:
    """Connects to servers of one kind."""

    timeouts: Timeouts
    tls: bool
    tls_context: Callable[[], ssl.SSLContext]
    has_certificate: bool
    """Whether it presents a client certificate."""
    username: str | None
    secret: Callable[[], str | bytes | None]
    database: int
    to_masters: bool
    """Whether to reject a replica: sentinels announce a new master with a delay."""

    @classmethod
    def of_redis(cls, redis: Redis, credentials: Credentials) -> Connector:
        """A connector to the servers with the data."""
        return cls(
            timeouts=redis.timeouts,
            tls=redis.tls,
            tls_context=credentials.tls_context,
            has_certificate=credentials.cert_file is not None,
            username=credentials.username or (redis.auth.username if redis.auth else None),
            secret=credentials.secret,
            database=redis.database,
            to_masters=redis.topology == "sentinel",
        )

    @classmethod
    def of_sentinels(cls, redis: Redis, credentials: Credentials) -> Connector:
        """A connector to the sentinels, with a password only if one is set for them."""
        return cls(
            timeouts=redis.timeouts,
            tls=redis.tls,
            tls_context=credentials.tls_context,
            has_certificate=credentials.cert_file is not None,
            username=None,
            secret=lambda: credentials.sentinel_password,
            database=0,
            to_masters=False,
        )

    async def open(self, address: Address, name: str) -> Connection:
        """Connect and authenticate. Raises Absent; raises Refused if Redis rejects the user."""
        try:
            greeting = self._greeting(name)
            context = self.tls_context() if self.tls else None
        except OSError as error:
            raise Absent(
                f"no connection to {address}: {error.filename or 'a file with certificates'}: {error.strerror}"
            ) from error
        except BadCertificateError as error:
            raise Absent(f"no connection to {address}: {error}; {error.hint}") from error
        socket = Socket(asyncio.get_running_loop())
        connection = Connection(socket, address)
        try:
            await socket.connect(address.host, address.port, context, self.timeouts.connect.seconds)
        except (OSError, ValueError) as error:  # ValueError: a name that cannot be one of a host
            connection.drop()
            detail = reason(error)
            raise Absent(f"no connection to {address}: {detail}{self._hint(detail)}") from error
        except BaseException:
            connection.drop()
            raise
        try:
            await self._greet(connection, greeting)
        except BaseException:
            connection.drop()
            raise
        return connection

    def _greeting(self, name: str) -> dict[str, bytes]:
        greeting = {}
        password = self.secret()
        if self.username:
            greeting["AUTH"] = pack(("AUTH", self.username, password or ""))
        elif password:
            greeting["AUTH"] = pack(("AUTH", password))
        if self.database:
            greeting["SELECT"] = pack(("SELECT", self.database))
        greeting["SETNAME"] = pack(("CLIENT", "SETNAME", name))
        greeting["ID"] = pack(("CLIENT", "ID"))
        if self.to_masters:
            greeting["ROLE"] = pack(("ROLE",))
        return greeting

    async def _greet(self, connection: Connection, greeting: dict[str, bytes]) -> None:
        try:
            replies = await connection.ask_all(b"".join(greeting.values()), len(greeting), self.timeouts.answer.seconds)
        except Unanswered as error:
            # A server at its client limit sends an error before it disconnects.
            refusal = next((f"{answer}; " for answer in error.answers if isinstance(answer, Refused)), "")
            detail = str(error).removeprefix(f"{connection.address} ")
            raise Absent(f"no connection to {connection.address}: {refusal}{detail}{self._hint(detail)}") from error
        answers = dict(zip(greeting, replies, strict=True))
        for command, answer in answers.items():
            if isinstance(answer, Refused) and (command in {"AUTH", "SELECT"} or answer.code not in OPTIONAL_ERRORS):
                raise Refused(f"{answer} ({connection.address}, {self._as()})")
        if isinstance(number := answers["ID"], int):
            connection.client_id = number
        if _is_replica(answers.get("ROLE")):
            raise Absent(f"{connection.address} is not a master now; the sentinels will announce another")

    def _hint(self, detail: str) -> str:
        return tls_hint(detail, has_certificate=self.has_certificate) if self.tls else ""

    def _as(self) -> str:
        return f"as user `{self.username}`" if self.username else "as the default user"


def _is_replica(role: Reply | Refused) -> bool:
    return isinstance(role, list) and role[0] != b"master"
