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
        measured, spec = self.measured, self.pipeline.spec
        named: dict[str, object] = {"pipeline": spec.name, "stream": spec.stream.key, "group": spec.stream.group}
        if measured is None:
            return named | {"error": str(self.trouble)}
        known = self.has_group
        return named | {
            "group_is_there": known,
            "length": measured.length,
            "new": self.new,
            "running": measured.running if known else None,
            "ready": measured.ready if known else None,
            "suspect": measured.suspect if known else None,
            "parked": measured.parked if known else None,
            "delayed": measured.delayed,
            "dead": measured.dead,
            "oldest_seconds": measured.oldest / 1000,
            "next_due_seconds": None if measured.next_due is None else measured.next_due / 1000,
            "consumers": measured.consumers if known else None,
            "consumers_lost": measured.expired if known else None,
            "consumers_foreign": measured.foreign if known else None,
            "groups": measured.groups,
            "finished": measured.finished,
            "done_per_second": None if self.done is None else round(self.done, 3),
        }


class StatusPoller:
    """Polls pipelines, and computes throughput between two polls."""

    def __init__(self, pipelines: Sequence[ResolvedPipeline], links: Sequence[Link]) -> None:
        """`links` has one link per pipeline; pipelines may share links."""
        self._of: dict[Link, list[ResolvedPipeline]] = {}
        for pipeline, link in zip(pipelines, links, strict=True):
            self._of.setdefault(link, []).append(pipeline)
        self._order = {pipeline.name: place for place, pipeline in enumerate(pipelines)}
        self._before: dict[str, Counts] = {}
        self._large: dict[str, bytes] = {}
        """Large entries by pipeline; see `measure`."""

    async def poll(self) -> list[Status]:
        """Poll all pipelines. If the Redis of one fails, its status has the error; the others are not blocked."""
        results = await asyncio.gather(*(self._through(link, of) for link, of in self._of.items()))
        return sorted(
            (status for statuses in results for status in statuses),
            key=lambda status: self._order[status.pipeline.name],
        )

    async def _through(self, link: Link, pipelines: Sequence[ResolvedPipeline]) -> list[Status]:
        statuses: list[Status] = []
        unreachable: RedisTrouble | None = None  # further pipelines would wait for the same failure
        for pipeline in pipelines:
            if unreachable is not None:
                statuses.append(Status(pipeline, None, unreachable))
                continue
            try:
                statuses.append(await self._status(pipeline, link))
            except RedisTrouble as trouble:
                self._before.pop(pipeline.name, None)
                statuses.append(Status(pipeline, None, trouble))
                unreachable = None if isinstance(trouble, Refused) else trouble
        return statuses

    async def _status(self, pipeline: ResolvedPipeline, link: Link) -> Status:
        measured = await measure(link, pipeline.keys, self._large.get(pipeline.name, b""))
        self._large[pipeline.name] = measured.large
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
