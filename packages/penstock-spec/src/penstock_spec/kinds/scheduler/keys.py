"""The keys of a scheduler in Redis, and the section of the spec that names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from penstock_spec.kinds.scheduler.strings import Base, Prefix
from penstock_spec.model import Section, about


class KeyNames(Section):
    """The names of the keys: a prefix, a base name, and a hash tag in braces.

    All other keys of a scheduler start with the name of the waiting set: `waiting:jobs`.
    """

    prefix: Annotated[Prefix, about("The prefix of all keys.", "caching:")] = ""
    waiting: Annotated[Base, about("The sorted set of waiting jobs, by due time.", "waiting")] = "waiting"
    working: Annotated[Base, about("The sorted set of running jobs, by deadline.", "working")] = "working"
    cleanup_leader: Annotated[Base, about("The lock of the pod that cleans up.", "cleanup-leader")] = "cleanup-leader"
    hash_tag: Annotated[
        Prefix,
        about("A hash tag that puts all keys into one slot. Required on Redis Cluster; empty means none.", "caching"),
    ] = ""


@dataclass(frozen=True, slots=True)
class SchedulerKeys:
    """All keys of one scheduler in Redis."""

    waiting: str
    """Sorted set: job -> its due time, with the priority as a fraction."""
    working: str
    """Sorted set: job -> its deadline, with a unique fraction that makes the score a fence."""
    jobs: str
    """Hash: job -> the settings that scripts need."""
    owners: str
    """Hash: job -> the consumer that holds its run."""
    pods: str
    """Sorted set: consumer -> end of its lease."""
    paused: str
    """Sorted set: paused job -> its score before; `*` stands for all jobs."""
    story: str
    """Hash: job -> the result of its last run, as JSON."""
    history: str
    """Hash: job -> its last runs, newest first, one JSON array per line."""
    limits: str
    """Hash: label and value -> the runs that may hold a place of its limit, as score and job."""
    fence: str
    """A counter that makes the score of each run unique."""
    given_up: str
    """Sorted set: job that is paused because it failed too often -> the second of that."""
    again: str
    """Sorted set: running job that runs again when it has ended -> the second at which a person asked for that."""
    cleanup_leader: str
    """The lock of the leader, which cleans up."""

    @classmethod
    def of(cls, names: KeyNames) -> SchedulerKeys:
        """The keys with these names."""
        tag = f"{{{names.hash_tag}}}" if names.hash_tag else ""

        def key(base: str) -> str:
            return f"{names.prefix}{base}{tag}"

        return cls(
            waiting=key(names.waiting),
            working=key(names.working),
            jobs=key(f"{names.waiting}:jobs"),
            owners=key(f"{names.waiting}:owners"),
            pods=key(f"{names.waiting}:pods"),
            paused=key(f"{names.waiting}:paused"),
            story=key(f"{names.waiting}:story"),
            history=key(f"{names.waiting}:history"),
            limits=key(f"{names.waiting}:limits"),
            fence=key(f"{names.waiting}:fence"),
            given_up=key(f"{names.waiting}:given_up"),
            again=key(f"{names.waiting}:again"),
            cleanup_leader=key(names.cleanup_leader),
        )
