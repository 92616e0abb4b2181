"""The keys of a pipeline in Redis. All are in the stream's slot, so that one script can use them together."""

from __future__ import annotations

from dataclasses import dataclass

from penstock_spec.kinds.pipeline.derive import side_key
from penstock_spec.kinds.pipeline.spec import Pipeline

PARKED = "~parked"
READY = "~ready"
SUSPECT = "~suspect"
STATES = (PARKED, READY, SUSPECT)
"""Consumers that represent a state instead of a process: their pending messages wait to be promoted or claimed."""
LOCKS = "penstock:janitor:{environment}:"
"""The prefix of the keys of the janitors' locks, which belong to no pipeline."""


@dataclass(frozen=True, slots=True)
class PipelineKeys:
    """All keys of one pipeline in Redis."""

    stream: str
    group: str
    """The group's name. It is not a key, but nearly every command needs it."""
    dead: str
    """Stream: dead letters."""
    delayed: str
    """Sorted set: delayed message -> its due time."""
    bodies: str
    """Hash: delayed message -> its fields."""
    parked: str
    """Sorted set: parked entry -> the due time of its retry."""
    uncharged: str
    """Hash: entry -> deliveries that do not count as attempts, `@`, and the delivery count of the last one; `~count` is
    the highest count ever set by force."""
    crashed: str
    """Hash: entry -> `crash` if its handler crashed its process, so that it is a suspect again when due; `lost` if
    its worker was lost; or the number of the attempt that must run isolated."""
    finished: str
    """Set: finished entries that stay in the stream because another group reads it."""
    alive: str
    """Sorted set: consumer -> end of its lease; negative if the lease was marked as lost."""
    position: str
    """Hash: the state of the group, to restore it if it disappears; and the worker that finishes its other messages to
    run a suspect alone."""
    dedup: str
    """Prefix of the deduplication keys."""
    result: str
    """Prefix of the keys that hold results of handlers."""

    @classmethod
    def of(cls, spec: Pipeline) -> PipelineKeys:
        """The keys of a resolved spec."""
        return cls.at(spec.stream.key, spec.stream.group, spec.dead_letter.key)

    @classmethod
    def at(cls, stream: str, group: str, dead: str) -> PipelineKeys:
        """The keys of a stream and a group."""

        def side(suffix: str) -> str:
            return side_key(stream, suffix)

        return cls(
            stream,
            group,
            dead,
            side("delayed"),
            side("bodies"),
            side(f"{group}:parked"),
            side(f"{group}:uncharged"),
            side(f"{group}:crashed"),
            side(f"{group}:finished"),
            side(f"{group}:alive"),
            side(f"{group}:position"),
            side("dedup:"),
            side(f"{group}:result:"),
        )
