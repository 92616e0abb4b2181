"""The keys that each role may use, as patterns of Redis access lists (ACL)."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.kinds.pipeline.keys import LOCKS, PipelineKeys
from penstock_spec.kinds.pipeline.rights.roles import Role
from penstock_spec.rights.keys import SpecInEnvironment, escaped, exactly, supports_read_rights


def patterns(role: Role, pipeline: SpecInEnvironment) -> Iterator[str]:
    """The key patterns of a role for one pipeline."""
    keys = PipelineKeys.of(pipeline.spec)
    reads = "%R~" if supports_read_rights(pipeline) else "~"
    dedup, result = escaped(keys.dedup) + "*", escaped(keys.result) + "*"
    of_group = (keys.parked, keys.uncharged, keys.crashed, keys.finished, keys.alive, keys.position)
    indexes = (*of_group, keys.delayed, keys.bodies)
    match role:
        case Role.PRODUCER:
            yield from exactly("~", keys.stream, keys.delayed, keys.bodies, keys.position, keys.finished)
            yield f"{reads}{result}"
            if pipeline.spec.message.dedup is not None:
                yield f"~{dedup}"
        case Role.WORKER:
            # Burying a message changes its deduplication key, even if the spec no longer has `dedup`.
            yield from exactly("~", keys.stream, keys.dead, *indexes)
            yield from (f"~{dedup}", f"~{result}")
        case Role.SCALER:
            yield from exactly(reads, keys.stream)
            yield from exactly("~", keys.parked)
            if pipeline.spec.stream.retention.keeps_nothing:
                yield from exactly("~", keys.finished)
        case Role.JANITOR:
            yield from exactly("~", keys.stream, keys.dead, *indexes)
            yield f"~{escaped(LOCKS.format(environment=pipeline.environment))}*"  # one lock per set of pipelines
        case Role.OPERATOR:
            yield from exactly("~", keys.stream, keys.dead, keys.parked, keys.finished, keys.alive, keys.position)
            yield from exactly("~", keys.delayed, keys.bodies)
            yield from exactly(reads, keys.uncharged)
            yield f"{reads}{result}"
            if pipeline.spec.message.dedup is not None:
                yield f"~{dedup}"
