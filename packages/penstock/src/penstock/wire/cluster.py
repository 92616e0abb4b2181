"""Finds the cluster node that serves a slot."""

from __future__ import annotations

from penstock.wire.command import pack
from penstock.wire.connection import Address
from penstock.wire.connector import Connector
from penstock.wire.errors import Absent, RedisTrouble, Reply

SLOTS = pack(("CLUSTER", "SLOTS"))
UNKNOWN = frozenset({"", "?"})
"""Host names that mean the node that answered."""


class Cluster:
    """The nodes of a cluster: those in the platform file, and those that nodes announced."""

    def __init__(self, connector: Connector, addresses: list[Address], slot: int) -> None:
        """`addresses` are the first nodes to query for the node of `slot`."""
        self._connector = connector
        self._named = addresses
        self._nodes = addresses
        self._slot = slot

    async def find(self) -> Address:
        """Return the address of the slot's master. Raises Absent with the error of each node."""
        errors = []
        for address in self._nodes:
            try:
                slots = await self._query(address)
            except RedisTrouble as trouble:
                errors.append(str(trouble))
                continue
            announced = [node for _, _, nodes in slots for node in nodes]
            self._nodes = list(dict.fromkeys((address, *announced, *self._named)))
            for first, last, nodes in slots:
                if first <= self._slot <= last:
                    return nodes[0]
            errors.append(f"{address} knows no node that serves slot {self._slot}")
        raise Absent(f"no node of the cluster knows the node of slot {self._slot}: {'; '.join(errors)}")

    async def _query(self, address: Address) -> list[tuple[int, int, list[Address]]]:
        connection = await self._connector.open(address, "penstock-route")
        try:
            answer = await connection.ask(SLOTS, self._connector.timeouts.answer.seconds)
        finally:
            connection.drop()
        if isinstance(answer, RedisTrouble):
            raise answer
        return _read(answer, address)


def _read(answer: Reply, node: Address) -> list[tuple[int, int, list[Address]]]:
    """Parse first slot, last slot, and their nodes: the master, then its replicas."""
    slots = []
    for row in answer if isinstance(answer, list) else []:
        match row:
            case [int(first), int(last), *nodes]:
                slots.append((first, last, [address for one in nodes if (address := _node(one, node))]))
            case _:
                pass
    return slots


def _node(row: Reply, node: Address) -> Address | None:
    match row:
        case [bytes(host), int(port), *_]:
            return announced_address(host.decode(), port, node)
        case [None, int(port), *_]:
            return announced_address("", port, node)
        case _:
            return None


def announced_address(host: str, port: int, node: Address) -> Address:
    """Return an address that `node` announced; without a host, the address has the host of `node`."""
    return Address(node.host if host in UNKNOWN else host, port)
