"""The keys of a pipeline. All of them lie in the stream's slot, so that one script may touch them together."""

from __future__ import annotations

from dataclasses import dataclass

from penstock_spec.kinds.pipeline.derive import side_key
from penstock_spec.kinds.pipeline.spec import Pipeline

PARKED = "~parked"
READY = "~ready"
SUSPECT = "~suspect"
STATES = (PARKED, READY, SUSPECT)
"""Consumers that are no process but a state: what is pending under such a name waits to be promoted or claimed."""
LOCKS = "penstock:janitor:{environment}:"
"""What the keys of the janitors' locks begin with; they belong to no pipeline."""


@dataclass(frozen=True, slots=True)
class PipelineKeys:
    """Where everything of one pipeline stands in Redis."""

    stream: str
    group: str
    """The group's name; no key, but it belongs to nearly every command that names one."""
    dead: str
    """Stream of dead letters."""
    delayed: str
    """Sorted set: message that is not in the stream yet -> when it is due."""
    bodies: str
    """Hash: message that is not in the stream yet -> its fields."""
    parked: str
    """Sorted set: entry -> when it is due for another attempt."""
    uncharged: str
    """Hash: entry -> deliveries that do not count as attempts; `~count` is the highest count ever given by force."""
    crashed: str
    """Hash: entry -> `crash` when its handler took its process down, so that it becomes a suspect again when it is due;
    or the attempt that it was to make alone."""
    finished: str
    """Set: entries that are finished, and still in the stream because another group reads it."""
    alive: str
    """Sorted set: consumer -> end of its lease; below zero when the lease was marked as lost."""
    position: str
    """Hash: what is remembered of the group for the day on which it vanishes; and which worker empties itself, to run a
    suspect alone."""
    dedup: str
    """Prefix of the keys that remember what was sent."""
    result: str
    """Prefix of the keys that hold what handlers left as results."""

    @classmethod
    def of(cls, spec: Pipeline) -> PipelineKeys:
        """The keys of a resolved spec."""
        return cls.at(spec.stream.key, spec.stream.group, spec.dead_letter.key)

    @classmethod
    def at(cls, stream: str, group: str, dead: str) -> PipelineKeys:
        """The keys around a stream and a group."""

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
