"""The commands that every connection of Penstock needs."""

from __future__ import annotations

from penstock_spec.platform import Redis

LINK = frozenset({"client|setname", "client|id", "evalsha", "eval", "script|load"})
"""For every connection, and to run scripts. AUTH needs no right."""
FINDS = {"cluster": frozenset({"cluster|slots", "asking"}), "sentinel": frozenset({"role"})}
"""By topology: to find the server of a key."""


def of_connection(redis: Redis) -> frozenset[str]:
    """The commands of a connection to this Redis."""
    return LINK | FINDS.get(redis.topology, frozenset()) | database(redis)


def database(redis: Redis) -> frozenset[str]:
    """The command to select a database other than 0."""
    return frozenset({"select"} if redis.database else ())
