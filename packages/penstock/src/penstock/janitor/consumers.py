"""The consumers of a group."""

from __future__ import annotations

import re
from dataclasses import dataclass

from penstock.keys import PipelineKeys
from penstock.maintenance.replies import items, mapping, number, raw
from penstock.wire.link import Link

PENSTOCK_NAME = re.compile(rb"[^~].*~[0-9A-Za-z]{8}", re.DOTALL)
"""The name of a Penstock worker's consumer; a name that begins with `~` is a state. See `overdue.lua`."""


@dataclass(frozen=True, slots=True)
class GroupConsumer:
    """One consumer."""

    name: bytes
    pending: int
    idle: int
    """Milliseconds since its last call."""

    @property
    def is_state(self) -> bool:
        """Whether it is a name for a state, not a process."""
        return self.name.startswith(b"~")

    @property
    def is_ours(self) -> bool:
        """Whether its name is that of a Penstock worker."""
        return PENSTOCK_NAME.fullmatch(self.name) is not None


async def consumers(link: Link, keys: PipelineKeys) -> list[GroupConsumer]:
    """All consumers of the group. Raises Refused if the group does not exist."""
    result = []
    for reply in items(await link.call("XINFO", "CONSUMERS", keys.stream, keys.group)):
        consumer = mapping(reply)
        result.append(GroupConsumer(raw(consumer[b"name"]), number(consumer[b"pending"]), number(consumer[b"idle"])))
    return result


async def foreign_consumers(link: Link, keys: PipelineKeys) -> list[GroupConsumer]:
    """Foreign consumers: they have no lease, and no name of a Penstock worker."""
    others = [one for one in await consumers(link, keys) if not one.is_state and not one.is_ours]
    if not others:
        return []
    leases = items(await link.call("ZMSCORE", keys.alive, *(one.name for one in others)))
    return [one for one, lease in zip(others, leases, strict=True) if lease is None]
