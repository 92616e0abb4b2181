"""The janitor's connections: three, however many pipelines it has; on a cluster two for each, and one for the lock.

On a cluster every pipeline has a slot of its own, which may move at any time. A link follows one key, so it is one
link a key: grouping them by the node that owns the slots today would have to be undone whenever a slot moves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass

from penstock.janitor.leader_lock import lock_of
from penstock.janitor.reachability import Reachability, ignore
from penstock.keys import PipelineKeys
from penstock.resolved import ResolvedPipeline
from penstock.wire.credentials import Credentials
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_spec.platform import Redis

ANSWERED: ContextVar[Callable[[float], object] | None] = ContextVar("penstock_janitor_answered", default=None)
"""Who is told how long Redis took: each task serves one pipeline, and says so here, as a link cannot know."""


def _tell(seconds: float) -> None:
    told = ANSWERED.get()
    if told:
        told(seconds)


@dataclass(frozen=True, slots=True)
class PipelineLinks:
    """What one pipeline is served through."""

    work: Link
    """Promotes, takes over, reconciles and trims."""
    metrics: Link
    """Measures, so that nobody who scrapes has to wait for the work."""
    reach: Reachability


@dataclass(frozen=True, slots=True)
class JanitorLinks:
    """All of them."""

    lead: Link
    lock: str
    """The lock's key."""
    pairs: tuple[PipelineLinks, ...]
    """One for each pipeline, in their order; the same one again and again where all is on one server."""
    reach: Reachability

    @classmethod
    def to(
        cls,
        redis: Redis,
        pipelines: Sequence[ResolvedPipeline],
        credentials: Credentials,
        changed: Callable[[bool], None] = ignore,
        kind: type[Reachability] = Reachability,
    ) -> JanitorLinks:
        """Nothing is connected yet. `changed` is told whether Redis answers, whenever that changes."""
        reach = kind(changed)
        lock = lock_of(pipelines[0].environment, [one.keys for one in pipelines])

        def link(key: str, what: str) -> Link:
            route = Route.to(redis, key, credentials=credentials)
            return Link(route, name=f"penstock-janitor-{what}", answered=_tell)

        def pair(keys: PipelineKeys, reach: Reachability) -> PipelineLinks:
            return PipelineLinks(link(keys.stream, "work"), link(keys.stream, "metrics"), reach)

        lead = link(lock, "leader")
        if redis.topology == "cluster":
            return cls(lead, lock, tuple(pair(one.keys, kind()) for one in pipelines), reach)
        shared = pair(pipelines[0].keys, reach)
        return cls(lead, lock, (shared,) * len(pipelines), reach)

    def of(self, pair: PipelineLinks) -> tuple[Link, ...]:
        """All that serve a pipeline."""
        return self.lead, pair.work, pair.metrics

    async def close(self) -> None:
        """For good."""
        for link in {link for pair in self.pairs for link in self.of(pair)}:
            await link.close()
