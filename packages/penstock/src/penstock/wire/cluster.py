"""Finds the cluster node that serves a slot."""

from __future__ import annotations

from penstock.wire.command import pack
from penstock.wire.connection import Address
from penstock.wire.connector import Connector
from penstock.wire.errors import Absent, RedisTrouble, Reply

SLOTS = pack(("CLUSTER", "SLOTS"))
UNKNOWN = frozenset({"", "?"})
"""Host names that stand for the node that answered."""


class Cluster:
    """The nodes of a cluster: those in the platform file, and those that they announced."""

    def __init__(self, connector: Connector, addresses: list[Address], slot: int) -> None:
        """`addresses` are asked first for the node of `slot`."""
        self._door = connector
        self._named = addresses
        self._nodes = addresses
        self._slot = slot

    async def find(self) -> Address:
        """Return the address of the slot's master. Raises Absent with the error of each node."""
        said = []
        for address in self._nodes:
            try:
                slots = await self._ask(address)
            except RedisTrouble as trouble:
                said.append(str(trouble))
                continue
            learnt = [node for _, _, nodes in slots for node in nodes]
            self._nodes = list(dict.fromkeys((address, *learnt, *self._named)))
            for first, last, nodes in slots:
                if first <= self._slot <= last:
                    return nodes[0]
            said.append(f"{address} knows nobody who serves slot {self._slot}")
        raise Absent(f"no node of the cluster tells who serves slot {self._slot}: {'; '.join(said)}")

    async def _ask(self, address: Address) -> list[tuple[int, int, list[Address]]]:
        connection = await self._door.open(address, "penstock-route")
        try:
            answer = await connection.ask(SLOTS, self._door.timeouts.answer.seconds)
        finally:
            await connection.drop()
        if isinstance(answer, RedisTrouble):
            raise answer
        return _read(answer, address)


def _read(answer: Reply, asked: Address) -> list[tuple[int, int, list[Address]]]:
    """Parse first slot, last slot, and their nodes: the master, then its replicas."""
    slots = []
    for row in answer if isinstance(answer, list) else []:
        match row:
            case [int(first), int(last), *nodes]:
                slots.append((first, last, [node for one in nodes if (node := _node(one, asked))]))
            case _:
                pass
    return slots


def _node(told: Reply, asked: Address) -> Address | None:
    match told:
        case [bytes(host), int(port), *_]:
            return elsewhere(host.decode(), port, asked)
        case [None, int(port), *_]:
            return elsewhere("", port, asked)
        case _:
            return None


def elsewhere(host: str, port: int, asked: Address) -> Address:
    """Return an address that the node `promql_queries` announced; without a host, it means its own."""
    return Address(asked.host if host in UNKNOWN else host, port)
