"""How the pipelines of an environment are: one bounded question for each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from penstock.maintenance.measure import Measurement, measure
from penstock.operating.reach import link_to
from penstock.operating.throughput import Counts, counts, done_per_second
from penstock.resolved import ResolvedPipeline
from penstock.wire.credentials import Credentials
from penstock.wire.errors import RedisTrouble, Refused
from penstock.wire.link import Link


@dataclass(frozen=True, slots=True)
class Status:
    """One pipeline."""

    pipeline: ResolvedPipeline
    measured: Measurement | None
    """None where it could not be told."""
    trouble: RedisTrouble | None = None
    done: float | None = None
    """Messages done in a second; None where it cannot be known."""

    @property
    def has_group(self) -> bool:
        """Whether the pipeline's group is there."""
        return self.measured is not None and self.measured.groups > 0

    @property
    def new(self) -> int | None:
        """Messages that nobody was given."""
        return (
            None
            if self.measured is None
            else self.measured.new(until_done=self.pipeline.spec.stream.retention.keeps_nothing)
        )

    def told(self) -> dict[str, object]:
        """For machines."""
        one, spec = self.measured, self.pipeline.spec
        named: dict[str, object] = {"pipeline": spec.name, "stream": spec.stream.key, "group": spec.stream.group}
        if one is None:
            return named | {"error": str(self.trouble)}
        known = self.has_group
        return named | {
            "group_is_there": known,
            "length": one.length,
            "new": self.new,
            "running": one.running if known else None,
            "ready": one.ready if known else None,
            "suspect": one.suspect if known else None,
            "parked": one.parked if known else None,
            "delayed": one.delayed,
            "dead": one.dead,
            "oldest_seconds": one.oldest / 1000,
            "next_due_seconds": None if one.next_due is None else one.next_due / 1000,
            "consumers": one.consumers if known else None,
            "consumers_lost": one.expired if known else None,
            "consumers_foreign": one.foreign if known else None,
            "done_per_second": None if self.done is None else round(self.done, 3),
        }


class Statuses:
    """Looks again and again, and tells what happened in between."""

    def __init__(self, pipelines: Sequence[ResolvedPipeline], links: Sequence[Link]) -> None:
        """A link for each pipeline; it may be the same one."""
        self._of: dict[Link, list[ResolvedPipeline]] = {}
        for pipeline, link in zip(pipelines, links, strict=True):
            self._of.setdefault(link, []).append(pipeline)
        self._order = {pipeline.name: place for place, pipeline in enumerate(pipelines)}
        self._before: dict[str, Counts] = {}

    async def look(self) -> list[Status]:
        """At all of them. A pipeline whose Redis is in trouble is told so, and holds up no other."""
        found = await asyncio.gather(*(self._through(link, of) for link, of in self._of.items()))
        return sorted((one for some in found for one in some), key=lambda one: self._order[one.pipeline.name])

    async def _through(self, link: Link, pipelines: Sequence[ResolvedPipeline]) -> list[Status]:
        found: list[Status] = []
        away: RedisTrouble | None = None  # what the next one would wait for as well
        for pipeline in pipelines:
            if away is not None:
                found.append(Status(pipeline, None, away))
                continue
            try:
                found.append(await self._look(pipeline, link))
            except RedisTrouble as trouble:
                self._before.pop(pipeline.name, None)
                found.append(Status(pipeline, None, trouble))
                away = None if isinstance(trouble, Refused) else trouble
        return found

    async def _look(self, pipeline: ResolvedPipeline, link: Link) -> Status:
        measured = await measure(link, pipeline.keys)
        before, after = self._before.get(pipeline.name), await counts(link, pipeline.keys)
        self._before[pipeline.name] = after
        done = None if before is None else done_per_second(pipeline.spec, before, after)
        return Status(pipeline, measured, done=done)


@asynccontextmanager
async def links_to(pipelines: Sequence[ResolvedPipeline], credentials: Credentials) -> AsyncIterator[list[Link]]:
    """One for each; the same one where all is on one server."""
    async with AsyncExitStack() as stack:
        links: list[Link] = []
        for pipeline in pipelines:
            if links and pipeline.redis.topology != "cluster":
                links.append(links[0])
            else:
                links.append(await stack.enter_async_context(link_to(pipeline, credentials, "status")))
        yield links
