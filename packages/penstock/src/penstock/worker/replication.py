"""Detects a master that acknowledges writes without a replica: after a Sentinel failover they are lost."""

from __future__ import annotations

from penstock.wire.errors import Refused
from penstock.wire.link import Link

MASTER = b"role:master"
REQUIRED = (b"min_slaves_good_slaves:", b"min_replicas_good_replicas:")
"""Redis shows this line only if `min-replicas-to-write` and `min-replicas-max-lag` are set."""


async def acknowledges_alone(link: Link) -> bool:
    """Whether this master acknowledges writes that no replica has; False if the user may not ask."""
    try:
        reply = await link.call("INFO", "replication")
    except Refused:
        return False
    lines = reply.split() if isinstance(reply, bytes) else []
    return MASTER in lines and not any(line.startswith(REQUIRED) for line in lines)
