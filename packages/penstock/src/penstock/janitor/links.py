"""The janitor's connections: three for any number of pipelines; on a cluster, two per pipeline and one for the lock.

On a cluster each pipeline has a slot, which may move to another node at any time. A link follows one key, so there is
one link per key; links shared by node would have to be regrouped whenever a slot moves.
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
"""Observes Redis's response times. Links are shared, so each task sets the metric of its pipeline here."""


def _observe_answer(seconds: float) -> None:
    observe = ANSWERED.get()
    if observe:
        observe(seconds)


@dataclass(frozen=True, slots=True)
class PipelineLinks:
    """The connections that serve one pipeline."""

    work: Link
    """Promotes, takes over, reconciles and trims."""
    metrics: Link
    """Measures, so that no scrape waits for the work."""
    reach: Reachability


@dataclass(frozen=True, slots=True)
class JanitorLinks:
    """All connections of a janitor."""

    lead: Link
    lock: str
    """The key of the lock."""
    pairs: tuple[PipelineLinks, ...]
    """One per pipeline, in order; all are the same if all keys are on one server."""
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
        """Nothing is connected yet. `changed` is called when Redis becomes reachable or unreachable."""
        reach = kind(changed)
        lock = lock_of(pipelines[0].environment, [one.keys for one in pipelines])

        def link(key: str, purpose: str) -> Link:
            route = Route.to(redis, key, credentials=credentials)
            return Link(route, name=f"penstock-janitor-{purpose}", answered=_observe_answer)

        def pair(keys: PipelineKeys, reach: Reachability) -> PipelineLinks:
            return PipelineLinks(link(keys.stream, "work"), link(keys.stream, "metrics"), reach)

        lead = link(lock, "leader")
        if redis.topology == "cluster":
            return cls(lead, lock, tuple(pair(one.keys, kind()) for one in pipelines), reach)
        shared = pair(pipelines[0].keys, reach)
        return cls(lead, lock, (shared,) * len(pipelines), reach)

    def of(self, pair: PipelineLinks) -> tuple[Link, ...]:
        """The connections that serve a pipeline."""
        return self.lead, pair.work, pair.metrics

    async def close(self) -> None:
        """Close them for good."""
        for link in {link for pair in self.pairs for link in self.of(pair)}:
            await link.close()
