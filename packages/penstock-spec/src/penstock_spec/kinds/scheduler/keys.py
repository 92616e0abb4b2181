"""The keys of a scheduler: what a spec says of their names, and where everything stands in Redis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from penstock_spec.kinds.scheduler.strings import Base, Prefix
from penstock_spec.model import Section, about


class KeyNames(Section):
    """What the keys are called: the prefix, a base name, and the hash tag between braces.

    What a scheduler keeps beside the sets follows the name of the waiting one: `waiting:jobs`.
    """

    prefix: Annotated[Prefix, about("What each key starts with.", "caching:")] = ""
    waiting: Annotated[Base, about("The sorted set of jobs that wait, by when they are due.", "waiting")] = "waiting"
    working: Annotated[Base, about("The sorted set of jobs that run, by their deadlines.", "working")] = "working"
    cleanup_leader: Annotated[Base, about("The lock of the pod that tidies.", "cleanup-leader")] = "cleanup-leader"
    hash_tag: Annotated[
        Prefix, about("Puts all keys into one slot of a cluster, which needs it; nothing is none.", "caching")
    ] = ""


@dataclass(frozen=True, slots=True)
class SchedulerKeys:
    """Where everything of one scheduler stands in Redis."""

    waiting: str
    """Sorted set: job -> when it is due, with the priority as a fraction."""
    working: str
    """Sorted set: job -> its deadline, with a fraction that makes the score a fence."""
    jobs: str
    """Hash: job -> what a script must know of it."""
    owners: str
    """Hash: job -> the life that holds its run."""
    pods: str
    """Sorted set: life -> end of its lease."""
    paused: str
    """Sorted set: job that is paused -> the score it had; `*` is all of them."""
    story: str
    """Hash: job -> how its last run went, as JSON."""
    fence: str
    """A counter: no score of a run is given twice."""
    cleanup_leader: str
    """The lock of the pod that tidies."""

    @classmethod
    def of(cls, names: KeyNames) -> SchedulerKeys:
        """The keys by these names."""
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
            fence=key(f"{names.waiting}:fence"),
            cleanup_leader=key(names.cleanup_leader),
        )
