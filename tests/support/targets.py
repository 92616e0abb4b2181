"""A Redis of some shape for tests of the runtime: the settings for production code, and direct access for assertions.

`PENSTOCK_TEST_SHAPE` chooses the shape: `plain` (the default), `tls` (with an access list), `cluster` (three nodes),
`sentinel` (a master, a replica, a sentinel).
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

import hiredis
from raw_client import Reply
from servers import TIMEOUTS, Node, Sentinel, Server, binary, lasting_port, wait_for
from tls import Certificate, Proxy

from penstock.embedded import LOOPBACK
from penstock.wire.credentials import Credentials
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_spec.platform import Auth, Redis

SLOTS = 16384
MASTER = "tests"
PASSWORD = "it's \u00e9 secret"  # noqa: S105 - of a server that runs as long as the tests
ADMIN = "admin"


class Target:
    """A Redis. This one is a single server."""

    shape = "plain"

    def __init__(self, redis: Redis, credentials: Credentials, servers: Sequence[Server]) -> None:
        self.redis = redis
        """This Redis as in a platform file."""
        self.credentials = credentials
        self.servers = servers

    def link(self, key: str = "", name: str = "test") -> Link:
        """A connection of the runtime to the server that holds `key`."""
        return Link(Route.to(self.redis, key, credentials=self.credentials), name=name)

    def environ(self) -> dict[str, str]:
        """The variables that the manifests put into a pod's environment."""
        own = self.credentials
        user = own.username or (self.redis.auth and self.redis.auth.username)
        values = {"REDIS_USERNAME": user, "REDIS_PASSWORD": own.password, "REDIS_CA_FILE": own.ca_file}
        return {name: str(value) for name, value in values.items() if value}

    @property
    def url(self) -> str:
        """The value of `--redis`; secrets are in `environ`."""
        scheme = "rediss" if self.redis.tls else "redis"
        return f"{scheme}://{','.join(self.redis.addresses)}"

    def masters(self) -> Sequence[Server]:
        """The servers that accept writes now."""
        return self.servers

    def ask(self, *command: str | bytes | float) -> Reply:
        """Send a command to the server of its keys. Raises `hiredis.ReplyError` for an error reply."""
        return self.masters()[0].ask(*command)

    def flush(self) -> None:
        for server in self.masters():
            server.flush()

    @property
    def can_fail_over(self) -> bool:
        return False

    def failover(self) -> None:
        """Make another server the master; acknowledged writes survive."""
        raise AssertionError(f"a target of shape `{self.shape}` has no server to fail over to")


class TlsTarget(Target):
    """A single server with TLS, a user and a password."""

    shape = "tls"


class ClusterTarget(Target):
    """Three nodes."""

    shape = "cluster"

    @property
    def url(self) -> str:
        return super().url.replace("redis://", "redis+cluster://")

    def ask(self, *command: str | bytes | float) -> Reply:
        server = self.masters()[0]
        for _ in self.servers:
            try:
                return server.ask(*command)
            except hiredis.ReplyError as error:
                word, *rest = str(error).split(" ")
                if word != "MOVED":
                    raise
                server = next(one for one in self.servers if one.address == rest[1])
        return server.ask(*command)

    def holder(self, slot: int) -> Node:
        """The node that reports that it serves a slot."""
        return next(node for node in self._nodes() if _serves(node, slot))

    def begin_move(self, slot: int) -> tuple[Node, Node]:
        """Start to migrate a slot: the first node redirects requests for missing keys to the second."""
        source = self.holder(slot)
        destination = next(node for node in self._nodes() if node is not source)
        destination.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", destination.id)
        return source, destination

    def end_move(self, slot: int, source: Node, destination: Node) -> None:
        """Move the remaining keys of the slot, and inform all nodes."""
        while keys := source.ask("CLUSTER", "GETKEYSINSLOT", slot, 100):
            assert isinstance(keys, list)
            for key in keys:
                source.ask("MIGRATE", LOOPBACK, destination.port, str(key), 0, 5000)
        for node in (destination, source, *self._nodes()):
            node.ask("CLUSTER", "SETSLOT", slot, "NODE", destination.id)

    def move(self, slot: int) -> None:
        """Move a slot and its keys to another node."""
        self.end_move(slot, *self.begin_move(slot))

    def _nodes(self) -> list[Node]:
        return [server for server in self.servers if isinstance(server, Node)]


def _serves(node: Node, slot: int) -> bool:
    reply = node.ask("CLUSTER", "SLOTS")
    assert isinstance(reply, list)
    rows = [row for row in reply if isinstance(row, list)]
    return any(_within(slot, row) and row[2][1] == node.port for row in rows if isinstance(row[2], list))


def _within(slot: int, row: list[Reply]) -> bool:
    first, last, *_ = row
    return isinstance(first, int) and isinstance(last, int) and first <= slot <= last


class SentinelTarget(Target):
    """A master, a replica, and a sentinel."""

    shape = "sentinel"

    def __init__(self, redis: Redis, servers: Sequence[Server], sentinel: Sentinel) -> None:
        super().__init__(redis, Credentials(), servers)
        self.sentinel = sentinel

    @property
    def url(self) -> str:
        return f"{super().url.replace('redis://', 'redis+sentinel://')}/{MASTER}"

    def masters(self) -> Sequence[Server]:
        return [self._master()]

    def _master(self) -> Server:
        for server in self.servers:
            with suppress(OSError):
                if role(server) == "master":
                    return server
        raise ConnectionError("none of the servers is the master")

    @property
    def can_fail_over(self) -> bool:
        return True

    def failover(self) -> None:
        """Fail over as a careful operator does: pause writes, so that no acknowledged write is lost."""
        self.settle()
        before = self._master()
        after = next(server for server in self.servers if server is not before)
        before.ask("CLIENT", "PAUSE", 30_000, "WRITE")
        wait_for(lambda: _offsets(before) == _offsets(after), "the replica is in sync with the master")
        self.sentinel.ask("SENTINEL", "FAILOVER", MASTER)
        wait_for(
            lambda: self._known_master() == after.port and role(after) == "master",
            "the sentinel has made another server the master",
        )
        # The sentinel would do this some seconds later; until then there would be two masters.
        before.ask("REPLICAOF", LOOPBACK, after.port)
        before.ask("CLIENT", "UNPAUSE")

    def settle(self) -> None:
        """Wait until all servers work and the sentinel knows it."""
        wait_for(self._agree, "the sentinel knows the master and a replica that it can promote", 180)

    def _agree(self) -> bool:
        master = self._master()
        return (
            self._known_master() == master.port
            and "state=online" in str(master.ask("INFO", "replication"))
            and self._sees()
        )

    def _known_master(self) -> int:
        reply = self.sentinel.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER)
        assert isinstance(reply, list)
        return int(str(reply[1]))

    def _sees(self) -> bool:
        """Whether it can promote the replica, which needs a link to the master."""
        reply = self.sentinel.ask("SENTINEL", "REPLICAS", MASTER)
        assert isinstance(reply, list)
        flat = [row for row in reply if isinstance(row, list)]
        rows = [dict(zip(row[::2], row[1::2], strict=True)) for row in flat]
        return any(row["flags"] == "slave" and row["master-link-status"] == "ok" for row in rows)


def _offsets(server: Server) -> str | None:
    """The replication offset of a server."""
    match = re.search(r"master_repl_offset:(\d+)", str(server.ask("INFO", "replication")))
    return match and match[1]


def role(server: Server) -> str:
    reply = server.ask("ROLE")
    assert isinstance(reply, list)
    return str(reply[0])


def shape() -> str:
    """The shape of Redis that this run tests."""
    return os.environ.get("PENSTOCK_TEST_SHAPE", "plain")


@contextmanager
def start(shape: str) -> Iterator[Target]:
    """Run a Redis of a shape until the end of the block."""
    with ExitStack() as ends:
        yield {"plain": _plain, "tls": _tls, "cluster": _cluster, "sentinel": _sentinel}[shape](ends)


def _plain(ends: ExitStack) -> Target:
    server = ends.enter_context(Server())
    return Target(server.model(), Credentials(), [server])


def _tls(ends: ExitStack) -> Target:
    folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="penstock-test-")))
    certificate = Certificate.make(folder)
    hashed = hashlib.sha256(PASSWORD.encode()).hexdigest()
    user = f"user penstock on #{hashed} ~* &* +@all"
    server: Server
    if _speaks_tls():
        files = (f"tls-cert-file {certificate.certificate}", f"tls-key-file {certificate.key}")
        server = speaking = ends.enter_context(TlsServer(user, "tls-auth-clients no", *files, password=ADMIN))
        port = speaking.tls_port
    else:
        server = ends.enter_context(Server(user, password=ADMIN))
        port = ends.enter_context(Proxy(certificate, server.port)).port
    redis = Redis(
        addresses=[f"{LOOPBACK}:{port}"],
        tls=True,
        auth=Auth(secret="redis", username="penstock"),  # noqa: S106 - a secret's name
        timeouts=TIMEOUTS,
    )
    return TlsTarget(redis, Credentials(password=PASSWORD, ca_file=certificate.ca), [server])


class TlsServer(Server):
    """A server that also listens for TLS, on a second port."""

    tls_port = 0

    def choose_port(self) -> int:
        self.tls_port = lasting_port()
        return super().choose_port()

    def lines(self) -> list[str]:
        return [*super().lines(), f"tls-port {self.tls_port}"]


def _speaks_tls() -> bool:
    """Whether the server supports TLS: then it complains about the missing certificate, else about the option."""
    process = subprocess.run([binary(), "--port", "0", "--tls-port", "1"], check=False, capture_output=True, text=True)
    return "Failed to configure TLS" in process.stdout


def _cluster(ends: ExitStack) -> Target:
    nodes = [ends.enter_context(Node()) for _ in range(3)]
    for number, node in enumerate(nodes):
        slots = range(SLOTS * number // len(nodes), SLOTS * (number + 1) // len(nodes))
        node.ask("CLUSTER", "ADDSLOTS", *slots)
        node.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        node.ask("CLUSTER", "MEET", LOOPBACK, nodes[0].port)
    for node in nodes:
        wait_for(partial(_is_complete, node, len(nodes)), f"{node.address} knows the complete cluster")
    redis = Redis(topology="cluster", addresses=[node.address for node in nodes], timeouts=TIMEOUTS)
    return ClusterTarget(redis, Credentials(), nodes)


def _is_complete(node: Node, nodes: int) -> bool:
    slots = node.ask("CLUSTER", "SLOTS")
    return "cluster_state:ok" in str(node.ask("CLUSTER", "INFO")) and isinstance(slots, list) and len(slots) == nodes


def _sentinel(ends: ExitStack) -> Target:
    fast_sync = ("repl-diskless-sync yes", "repl-diskless-sync-delay 0")
    master = ends.enter_context(Server(*fast_sync))
    replica = ends.enter_context(Server(f"replicaof {LOOPBACK} {master.port}", *fast_sync))
    wait_for(lambda: "master_link_status:up" in str(replica.ask("INFO", "replication")), "the replica follows")
    sentinel = ends.enter_context(Sentinel(master, MASTER))
    redis = Redis(topology="sentinel", addresses=[sentinel.address], master=MASTER, timeouts=TIMEOUTS)
    for period in ("INFO-PERIOD", "PUBLISH-PERIOD"):
        with suppress(hiredis.ReplyError):  # 6.2 polls its servers every ten seconds, which cannot be changed
            sentinel.ask("SENTINEL", "DEBUG", period, 200)
    return SentinelTarget(redis, [master, replica], sentinel)
