"""The status of an environment's pipelines, with a bounded query for each."""

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
    """The status of one pipeline."""

    pipeline: ResolvedPipeline
    measured: Measurement | None
    """None if Redis failed."""
    trouble: RedisTrouble | None = None
    done: float | None = None
    """Messages done per second; None if unknown."""

    @property
    def has_group(self) -> bool:
        """Whether the pipeline's group exists."""
        return self.measured is not None and self.measured.groups > 0

    @property
    def new(self) -> int | None:
        """Messages that were not delivered yet."""
        return (
            None
            if self.measured is None
            else self.measured.new(until_done=self.pipeline.spec.stream.retention.keeps_nothing)
        )

    def as_json(self) -> dict[str, object]:
        """Name and value of each column of `--json`."""
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
    """Polls pipelines, and computes throughput between two polls."""

    def __init__(self, pipelines: Sequence[ResolvedPipeline], links: Sequence[Link]) -> None:
        """Take one link per pipeline; pipelines may share links."""
        self._of: dict[Link, list[ResolvedPipeline]] = {}
        for pipeline, link in zip(pipelines, links, strict=True):
            self._of.setdefault(link, []).append(pipeline)
        self._order = {pipeline.name: place for place, pipeline in enumerate(pipelines)}
        self._before: dict[str, Counts] = {}

    async def look(self) -> list[Status]:
        """Poll all pipelines. A pipeline whose Redis fails reports that, and blocks no other."""
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
    """A link per pipeline; pipelines on the same server share one."""
    async with AsyncExitStack() as stack:
        links: list[Link] = []
        for pipeline in pipelines:
            if links and pipeline.redis.topology != "cluster":
                links.append(links[0])
            else:
                links.append(await stack.enter_async_context(link_to(pipeline, credentials, "status")))
        yield links
