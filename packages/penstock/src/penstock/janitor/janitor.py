"""The janitor of an environment: as leader it makes rounds over all pipelines; it always measures them.

```
Janitor
├── LeaderLock       taken or renewed every 1.5 s; makes one of several janitors the leader
├── Rounds           for each pipeline, as leader: promote, take over, reconcile, trim, remove ghosts
└── PipelineMonitor  for each pipeline, always: the backlog, and the age of its oldest message
```
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress

from penstock.clocks import CLOCKS, Clocks
from penstock.janitor.kubernetes_pods import PodsApi
from penstock.janitor.leader_lock import EVERY, LeaderLock
from penstock.janitor.links import ANSWERED, JanitorLinks
from penstock.janitor.metrics import JanitorMetrics
from penstock.janitor.monitor import EVERY as MEASURE_EVERY
from penstock.janitor.monitor import PipelineMonitor
from penstock.janitor.rounds import Rounds
from penstock.janitor.task_guard import REFUSES_ALL
from penstock.observe.collector import Collector
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.observe.metrics import Metrics
from penstock.resolved import ResolvedPipeline
from penstock.wire.errors import Absent, RedisTrouble, Refused, Unanswered

GIVE_UP_LIMIT = 2.0
"""Seconds for giving up the lock; if that fails, the lock expires."""

log = Log(logging.getLogger(__name__))


class Janitor:
    """Maintains all pipelines of an environment. Any number of janitors may run at once."""

    def __init__(
        self,
        pipelines: Sequence[ResolvedPipeline],
        links: JanitorLinks,
        collector: Collector,
        pods: PodsApi,
        clocks: Clocks = CLOCKS,
    ) -> None:
        """Nothing is called yet."""
        self._links = links
        self._lock = LeaderLock(links.lead, links.lock)
        self._sleep = clocks.sleep
        self._leading = asyncio.Event()
        self._terms = 0
        """How often it became leader."""
        self._metrics: list[JanitorMetrics] = []
        self._rounds: list[Rounds] = []
        self.monitors: list[PipelineMonitor] = []
        for pipeline, pair in zip(pipelines, links.pairs, strict=True):
            metrics = JanitorMetrics(Metrics.of_spec("janitor", pipeline.spec, collector), pipeline.spec)
            metrics.watch(links.of(pair))
            self._metrics.append(metrics)
            self._rounds.append(Rounds(pipeline, pair, metrics, pods, clocks))
            self.monitors.append(PipelineMonitor(pipeline, pair, metrics, clocks))

    async def run(self, stop: asyncio.Event) -> None:
        """Run until `stop` is set. Tasks are then cancelled; that is safe, because each step is atomic."""
        tasks = [asyncio.create_task(self._lead())]
        for rounds, monitor, metrics in zip(self._rounds, self.monitors, self._metrics, strict=True):
            tasks += [
                asyncio.create_task(self._make_rounds(rounds, metrics)),
                asyncio.create_task(self._measure_forever(monitor, metrics)),
            ]
        stopped = asyncio.create_task(stop.wait())
        done, _ = await asyncio.wait([stopped, *tasks], return_when=asyncio.FIRST_COMPLETED)
        for task in (stopped, *tasks):
            task.cancel()
        await asyncio.wait([stopped, *tasks])
        await self._close()
        for task in done - {stopped}:
            task.result()

    async def once(self) -> bool:
        """Make one round over each pipeline, leader or not; return whether all succeeded. Raises RedisTrouble."""
        succeeded = True
        try:
            for rounds, monitor, metrics in zip(self._rounds, self.monitors, self._metrics, strict=True):
                ANSWERED.set(metrics.answered)
                metrics.leads = True
                succeeded = await rounds.make() and succeeded
                await monitor.update()
        finally:
            await self._links.close()
        return succeeded

    async def _close(self) -> None:
        if self._leading.is_set():
            with suppress(RedisTrouble, TimeoutError):
                async with asyncio.timeout(GIVE_UP_LIMIT):
                    await self._lock.give_up()
        await self._links.close()

    async def _lead(self) -> None:
        logged = False
        while True:
            try:
                self._set_leader(ours=await self._lock.take())
            except RedisTrouble as error:
                # A leader stays leader: the lock only saves work, and the pipelines may be reachable.
                for metrics in self._metrics:
                    metrics.failed("lead", error)
                if not isinstance(error, Refused) or error.code in REFUSES_ALL:
                    self._links.reach.unreachable(error)
                elif not logged:
                    log.event(Event.JANITOR_TASK_FAILED, task="lead", error=str(error))
                    logged = True
            else:
                logged = False
                self._links.reach.reachable()
            await self._sleep(EVERY)

    def _set_leader(self, *, ours: bool) -> None:
        if ours == self._leading.is_set():
            return
        log.event(Event.JANITOR_BECAME_LEADER if ours else Event.JANITOR_BECAME_STANDBY)
        for metrics in self._metrics:
            metrics.lead(ours=ours)
        if ours:
            self._terms += 1
            self._leading.set()
        else:
            self._leading.clear()

    async def _make_rounds(self, rounds: Rounds, metrics: JanitorMetrics) -> None:
        ANSWERED.set(metrics.answered)
        term = 0
        while True:
            await self._leading.wait()
            if term != self._terms:
                term = self._terms
                rounds.start_over()
            await self._sleep(await rounds.go())

    async def _measure_forever(self, monitor: PipelineMonitor, metrics: JanitorMetrics) -> None:
        ANSWERED.set(metrics.answered)
        while True:
            with suppress(Absent, Unanswered):  # already counted and logged
                await monitor.update()
            metrics.connected(sum(link.connections for link in self._links.of(monitor.links)))
            await self._sleep(MEASURE_EVERY)
