"""The janitor of an environment: rounds over all its pipelines while it leads, a look at them all the time.

```
Janitor
├── LeaderLock      asked every second and a half; one of several janitors leads
├── Rounds    for each pipeline, while it leads: what is due, what the lost left, indexes, trimming, ghosts
└── PipelineMonitor     for each pipeline, always: how much there is, and how long the oldest has waited
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
from penstock.janitor.monitor import EVERY as LOOK_EVERY
from penstock.janitor.monitor import PipelineMonitor
from penstock.janitor.rounds import Rounds
from penstock.janitor.task_guard import SHUT
from penstock.observe.board import Board
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.observe.metrics import Metrics
from penstock.resolved import ResolvedPipeline
from penstock.wire.errors import Absent, RedisTrouble, Refused, Unanswered

LEAVING = 2.0
"""Seconds for giving the lock up; if that fails, it runs out."""

log = Log(logging.getLogger(__name__))


class Janitor:
    """For all pipelines of an environment. Any number of janitors may run at once."""

    def __init__(
        self,
        pipelines: Sequence[ResolvedPipeline],
        links: JanitorLinks,
        board: Board,
        pods: PodsApi,
        clocks: Clocks = CLOCKS,
    ) -> None:
        """Nothing is asked yet."""
        self._links = links
        self._lock = LeaderLock(links.lead, links.lock)
        self._sleep = clocks.sleep
        self._leading = asyncio.Event()
        self._terms = 0
        """How often it has begun to lead."""
        self._tallies: list[JanitorMetrics] = []
        self._rounds: list[Rounds] = []
        self.sights: list[PipelineMonitor] = []
        for pipeline, pair in zip(pipelines, links.pairs, strict=True):
            tally = JanitorMetrics(Metrics.of_spec("janitor", pipeline.spec, board), pipeline.spec)
            tally.watch(links.of(pair))
            self._tallies.append(tally)
            self._rounds.append(Rounds(pipeline, pair, tally, pods, clocks))
            self.sights.append(PipelineMonitor(pipeline, pair, tally, clocks))

    async def run(self, stop: asyncio.Event) -> None:
        """Until told to stop; what is being done then is cut off, as each step is whole in itself."""
        tasks = [asyncio.create_task(self._lead())]
        for rounds, sight, tally in zip(self._rounds, self.sights, self._tallies, strict=True):
            tasks += [asyncio.create_task(self._go_round(rounds, tally)), asyncio.create_task(self._look(sight, tally))]
        stopped = asyncio.create_task(stop.wait())
        done, _ = await asyncio.wait([stopped, *tasks], return_when=asyncio.FIRST_COMPLETED)
        for task in (stopped, *tasks):
            task.cancel()
        await asyncio.wait([stopped, *tasks])
        await self._leave()
        for task in done - {stopped}:
            task.result()

    async def once(self) -> bool:
        """One round over each pipeline, whoever leads; whether all went well. Raises RedisTrouble without an answer."""
        well = True
        try:
            for rounds, sight, tally in zip(self._rounds, self.sights, self._tallies, strict=True):
                ANSWERED.set(tally.answered)
                tally.leads = True
                well = await rounds.make() and well
                await sight.look()
        finally:
            await self._links.close()
        return well

    async def _leave(self) -> None:
        if self._leading.is_set():
            with suppress(RedisTrouble, TimeoutError):
                async with asyncio.timeout(LEAVING):
                    await self._lock.give_up()
        await self._links.close()

    async def _lead(self) -> None:
        told = False
        while True:
            try:
                self._follow(ours=await self._lock.ask())
            except RedisTrouble as error:
                # Whoever led goes on: the lock saves work and nothing else, and the pipelines may be within reach.
                for tally in self._tallies:
                    tally.failed("lead", error)
                if not isinstance(error, Refused) or error.code in SHUT:
                    self._links.reach.away(error)
                elif not told:
                    log.event(Event.JANITOR_TASK_FAILED, task="lead", error=str(error))
                    told = True
            else:
                told = False
                self._links.reach.back()
            await self._sleep(EVERY)

    def _follow(self, *, ours: bool) -> None:
        if ours == self._leading.is_set():
            return
        log.event(Event.JANITOR_BECAME_LEADER if ours else Event.JANITOR_BECAME_STANDBY)
        for tally in self._tallies:
            tally.lead(ours=ours)
        if ours:
            self._terms += 1
            self._leading.set()
        else:
            self._leading.clear()

    async def _go_round(self, rounds: Rounds, tally: JanitorMetrics) -> None:
        ANSWERED.set(tally.answered)
        term = 0
        while True:
            await self._leading.wait()
            if term != self._terms:
                term = self._terms
                rounds.start_over()
            await self._sleep(await rounds.go())

    async def _look(self, sight: PipelineMonitor, tally: JanitorMetrics) -> None:
        ANSWERED.set(tally.answered)
        while True:
            with suppress(Absent, Unanswered):  # counted and told already
                await sight.look()
            tally.connected(sum(link.connections for link in self._links.of(sight.pair)))
            await self._sleep(LOOK_EVERY)
