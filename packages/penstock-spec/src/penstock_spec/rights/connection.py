"""What every connection of ours says to Redis, whatever it is for."""

from __future__ import annotations

from penstock_spec.platform import Redis

LINK = frozenset({"client|setname", "client|id", "evalsha", "eval", "script|load"})
"""Always, and how scripts are run. AUTH asks no rights."""
FINDS = {"cluster": frozenset({"cluster|slots", "asking"}), "sentinel": frozenset({"role"})}
"""By topology: how the server of a key is found."""


def of_connection(redis: Redis) -> frozenset[str]:
    """To this Redis."""
    return LINK | FINDS.get(redis.topology, frozenset()) | database(redis)


def database(redis: Redis) -> frozenset[str]:
    """Where it is not the first one."""
    return frozenset({"select"} if redis.database else ())
