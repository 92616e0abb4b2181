"""Where the server is that holds a key: found, and found again after a failover."""

from __future__ import annotations

from typing import Protocol

from redis.crc import key_slot

from penstock.wire.cluster import Cluster
from penstock.wire.connection import Address, Connection
from penstock.wire.credentials import Credentials
from penstock.wire.door import Door
from penstock.wire.errors import Absent
from penstock.wire.sentinel import Sentinels
from penstock_spec.findings import CannotGoOn
from penstock_spec.platform import Redis


class Guide(Protocol):
    """Whoever can tell where the server is."""

    async def find(self) -> Address:
        """Ask. Raises Absent."""
        ...


class Fixed:
    """A server that is always at the same address; what stands behind the address may change."""

    def __init__(self, address: Address) -> None:
        """Say where."""
        self._address = address

    async def find(self) -> Address:
        """Nobody needs to be asked."""
        return self._address


class Route:
    """The way to the server that holds a key. Links may share one."""

    def __init__(self, door: Door, guide: Guide) -> None:
        """Use `Route.to`."""
        self.door = door
        self._guide = guide
        self._known: Address | None = None

    @classmethod
    def to(cls, redis: Redis, key: str, *, credentials: Credentials) -> Route:
        """The way to the server that holds `key`. Raises CannotGoOn when a password or a file is missing."""
        credentials.check(redis)
        door = Door.of_redis(redis, credentials)
        addresses = [Address.of(one) for one in redis.addresses]
        match redis.topology:
            case "standalone":
                return cls(door, Fixed(addresses[0]))
            case "cluster":
                return cls(door, Cluster(door, addresses, key_slot(key.encode())))
            case "sentinel":
                if not redis.master:
                    raise CannotGoOn("the sentinels are not told which master is meant", "write `redis.master`")
                return cls(door, Sentinels(Door.of_sentinels(redis, credentials), addresses, redis.master))

    async def find(self) -> Address:
        """Where the server is, as far as we know. Raises Absent."""
        if self._known is None:
            self._known = await self._guide.find()
        return self._known

    def forget(self) -> None:
        """It may have moved: ask anew before the next connection."""
        self._known = None

    def moved(self, address: Address) -> None:
        """The server itself said who holds the key now."""
        self._known = address

    async def open(self, name: str) -> Connection:
        """A connection to the server. Raises Absent or Refused."""
        address = await self.find()
        try:
            return await self.door.open(address, name)
        except Absent:
            self.forget()
            raise
