"""Finds the master through sentinels."""

from __future__ import annotations

from penstock.wire.command import pack
from penstock.wire.connection import Address
from penstock.wire.connector import Connector
from penstock.wire.errors import Absent, RedisTrouble


class Sentinels:
    """The sentinels of one master, asked in turn; the last one that answered comes first."""

    def __init__(self, connector: Connector, addresses: list[Address], master: str) -> None:
        """`connector` connects to the sentinels."""
        self._door = connector
        self._addresses = addresses
        self._master = master

    async def find(self) -> Address:
        """Return the master's address. Raises Absent with the error of each sentinel."""
        said = []
        for address in tuple(self._addresses):
            try:
                master = await self._ask(address)
            except RedisTrouble as trouble:
                said.append(str(trouble))
                continue
            if master:
                self._addresses.remove(address)
                self._addresses.insert(0, address)
                return master
            said.append(f"{address} knows no master `{self._master}`")
        raise Absent(f"no sentinel tells where `{self._master}` is: {'; '.join(said)}")

    async def _ask(self, address: Address) -> Address | None:
        question = pack(("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._master))
        connection = await self._door.open(address, "penstock-route")
        try:
            answer = await connection.ask(question, self._door.timeouts.answer.seconds)
        finally:
            await connection.drop()
        match answer:
            case [bytes(host), bytes(port)]:
                return Address(host.decode(), int(port))
            case RedisTrouble():
                raise answer
            case _:
                return None
