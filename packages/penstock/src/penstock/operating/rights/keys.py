"""The keys that each may touch, as patterns of Redis's access lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from penstock.janitor.lead import lock_of
from penstock.operating.rights.roles import Role
from penstock.resolved import Resolved
from penstock_spec.values.quantities import Version

BY_ACCESS = Version("7.0")
"""From here on a right may be to read alone. What scripts are handed must be writable, whatever they do with it."""

SPECIAL = re.compile(r"([*?\[\]\\])")


def patterns(role: Role, pipeline: Resolved) -> Iterator[str]:
    """Of one pipeline."""
    keys = pipeline.keys
    reads = "%R~" if tells_reading(pipeline) else "~"
    dedup, result = escaped(keys.dedup) + "*", escaped(keys.result) + "*"
    of_group = (keys.parked, keys.uncharged, keys.crashed, keys.finished, keys.alive, keys.position)
    indexes = (*of_group, keys.delayed, keys.bodies)
    match role:
        case Role.PRODUCER:
            yield from _exactly("~", keys.stream, keys.delayed, keys.bodies, keys.position)
            yield f"{reads}{result}"
            if pipeline.spec.message.dedup is not None:
                yield f"~{dedup}"
        case Role.WORKER:
            # A message that was sent while the spec told duplicates apart frees its key when it is buried.
            yield from _exactly("~", keys.stream, keys.dead, *indexes)
            yield from (f"~{dedup}", f"~{result}")
        case Role.SCALER:
            yield from _exactly(reads, keys.stream)
            yield from _exactly("~", keys.parked)
        case Role.JANITOR:
            yield from _exactly("~", keys.stream, keys.dead, *indexes)
            yield f"~{escaped(lock_of(pipeline.environment, ()).rpartition(':')[0])}:*"  # it ends in who is tended
        case Role.OPERATOR:
            yield from _exactly(
                "~", keys.stream, keys.dead, keys.parked, keys.alive, keys.delayed, keys.bodies, keys.position
            )
            yield from _exactly(reads, keys.uncharged)
            yield f"{reads}{result}"
            if pipeline.spec.message.dedup is not None:
                yield f"~{dedup}"


def tells_reading(pipeline: Resolved) -> bool:
    """Whether the Redis of its environment tells reading from writing."""
    return not pipeline.around.versions.redis < BY_ACCESS


def _exactly(sign: str, *keys: str) -> Iterator[str]:
    yield from (sign + escaped(key) for key in keys)


def escaped(key: str) -> str:
    """A pattern that only this key fits."""
    return SPECIAL.sub(r"\\\1", key)
