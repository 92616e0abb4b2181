"""Finds the server that has a key, also after a failover."""

from __future__ import annotations

from typing import Protocol

from penstock.wire.cluster import Cluster
from penstock.wire.connection import Address, Connection
from penstock.wire.connector import Connector
from penstock.wire.credentials import Credentials
from penstock.wire.errors import Absent
from penstock.wire.sentinel import Sentinels
from penstock.wire.slot import key_slot
from penstock_spec.findings import CannotGoOn
from penstock_spec.platform import Redis


class Locator(Protocol):
    """Finds the address of a server."""

    async def find(self) -> Address:
        """Return the server's address. Raises Absent."""
        ...


class FixedAddress:
    """A server with a fixed address."""

    def __init__(self, address: Address) -> None:
        """Keep the address."""
        self._address = address

    async def find(self) -> Address:
        """Return the address."""
        return self._address


class Route:
    """The route to the server that has a key. Links may share one."""

    def __init__(self, connector: Connector, locator: Locator) -> None:
        """Use `Route.to`."""
        self.connector = connector
        self._locator = locator
        self._known: Address | None = None

    @classmethod
    def to(cls, redis: Redis, key: str, *, credentials: Credentials) -> Route:
        """Return the route to the server that has `key`. Raises CannotGoOn if a password or a file is missing."""
        credentials.check(redis)
        connector = Connector.of_redis(redis, credentials)
        addresses = [Address.of(one) for one in redis.addresses]
        match redis.topology:
            case "standalone":
                return cls(connector, FixedAddress(addresses[0]))
            case "cluster":
                return cls(connector, Cluster(connector, addresses, key_slot(key.encode())))
            case "sentinel":
                if not redis.master:
                    raise CannotGoOn(
                        "`redis.master` is missing", "set it to the name of the master that the sentinels watch"
                    )
                return cls(connector, Sentinels(Connector.of_sentinels(redis, credentials), addresses, redis.master))

    async def find(self) -> Address:
        """Return the server's address, cached. Raises Absent."""
        if self._known is None:
            self._known = await self._locator.find()
        return self._known

    def forget(self) -> None:
        """Find the address again before the next connection: the server may have moved."""
        self._known = None

    def moved(self, address: Address) -> None:
        """Use the address that the server announced."""
        self._known = address

    async def open(self, name: str) -> Connection:
        """Connect to the server. Raises Absent or Refused."""
        address = await self.find()
        try:
            return await self.connector.open(address, name)
        except Absent:
            self.forget()
            raise
