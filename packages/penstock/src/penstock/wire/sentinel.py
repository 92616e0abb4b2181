"""Finds the master through sentinels."""

from __future__ import annotations

from penstock.wire.command import pack
from penstock.wire.connection import Address
from penstock.wire.connector import Connector
from penstock.wire.errors import Absent, RedisTrouble


class Sentinels:
    """The sentinels of one master, queried one after the other; the last one that answered comes first."""

    def __init__(self, connector: Connector, addresses: list[Address], master: str) -> None:
        """`connector` connects to the sentinels."""
        self._connector = connector
        self._addresses = addresses
        self._master = master

    async def find(self) -> Address:
        """Return the master's address. Raises Absent with the error of each sentinel."""
        errors = []
        for address in tuple(self._addresses):
            try:
                master = await self._query(address)
            except RedisTrouble as trouble:
                errors.append(str(trouble))
                continue
            if master:
                self._addresses.remove(address)
                self._addresses.insert(0, address)
                return master
            errors.append(f"{address} knows no master `{self._master}`")
        raise Absent(f"no sentinel knows the address of `{self._master}`: {'; '.join(errors)}")

    async def _query(self, address: Address) -> Address | None:
        command = pack(("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._master))
        connection = await self._connector.open(address, "penstock-route")
        try:
            answer = await connection.ask(command, self._connector.timeouts.answer.seconds)
        finally:
            connection.drop()
        match answer:
            case [bytes(host), bytes(port)]:
                return Address(host.decode(), int(port))
            case RedisTrouble():
                raise answer
            case _:
                return None
