"""The keys that each may touch, as patterns of Redis's access lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from penstock_spec.kinds.pipeline.keys import LOCKS, Keys
from penstock_spec.kinds.pipeline.rights.roles import Role
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Environment
from penstock_spec.values.quantities import Version

BY_ACCESS = Version("7.0")
"""From here on a right may be to read alone. What scripts are handed must be writable, whatever they do with it."""

SPECIAL = re.compile(r"([*?\[\]\\])")


class Placed(Protocol):
    """A pipeline in an environment."""

    @property
    def spec(self) -> Pipeline:
        """As it is there."""
        ...

    @property
    def environment(self) -> str:
        """Its name."""
        ...

    @property
    def around(self) -> Environment:
        """What the platform file says of it."""
        ...


def patterns(role: Role, pipeline: Placed) -> Iterator[str]:
    """Of one pipeline."""
    keys = Keys.of(pipeline.spec)
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
            yield f"~{escaped(LOCKS.format(environment=pipeline.environment))}*"  # it ends in who is tended
        case Role.OPERATOR:
            yield from _exactly(
                "~", keys.stream, keys.dead, keys.parked, keys.alive, keys.delayed, keys.bodies, keys.position
            )
            yield from _exactly(reads, keys.uncharged)
            yield f"{reads}{result}"
            if pipeline.spec.message.dedup is not None:
                yield f"~{dedup}"


def tells_reading(pipeline: Placed) -> bool:
    """Whether the Redis of its environment tells reading from writing."""
    return not pipeline.around.versions.redis < BY_ACCESS


def _exactly(sign: str, *keys: str) -> Iterator[str]:
    yield from (sign + escaped(key) for key in keys)


def escaped(key: str) -> str:
    """A pattern that only this key fits."""
    return SPECIAL.sub(r"\\\1", key)
