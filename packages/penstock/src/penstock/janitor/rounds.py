"""Makes the rounds over one pipeline: promotes messages when they are due, and does the rest every two seconds."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Literal

from penstock.clocks import Clocks
from penstock.janitor.deletion_costs import DeletionCosts
from penstock.janitor.ghosts import Ghosts
from penstock.janitor.kubernetes_pods import PodsApi
from penstock.janitor.links import PipelineLinks
from penstock.janitor.metrics import JanitorMetrics, Task
from penstock.janitor.reconcile import Page, Reconciler, ReconcileResult
from penstock.janitor.task_guard import TaskGuard
from penstock.janitor.timer import Timer
from penstock.janitor.trim import Trimmer
from penstock.maintenance.group import ensure_group
from penstock.maintenance.promote import PromoteResult, promote
from penstock.maintenance.takeover import Takeover
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.resolved import ResolvedPipeline
from penstock.wire.errors import Absent, Unanswered

ROUND = 2.0
"""Seconds between two rounds: no due time waits longer, and it is short compared to the shortest lease."""
SHORTEST_WAIT = 0.25
"""Shortest time in seconds between two promotions."""
MOST_PAGES = 20
"""Most pages of one task in one round. The other tasks follow, and then the next round at once."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 5.0
"""Seconds before the next try for a pipeline whose Redis does not answer."""
DEAD_EVERY = 60.0
COSTS_EVERY = 15.0
"""Seconds; an HPA does not act more often."""

log = Log(logging.getLogger(__name__))


class Rounds:
    """Maintains one pipeline."""

    def __init__(
        self, pipeline: ResolvedPipeline, links: PipelineLinks, metrics: JanitorMetrics, pods: PodsApi, clocks: Clocks
    ) -> None:
        """Use the link for work."""
        spec, keys, link = pipeline.spec, pipeline.keys, links.work
        self._name = pipeline.name
        self._spec = spec
        self._keys = keys
        self._link = link
        self._metrics = metrics
        self._clocks = clocks
        self._guard = TaskGuard(pipeline.name, metrics, links.reach)
        keeps_nothing = spec.stream.retention.keeps_nothing
        self._takeover = Takeover(link, keys, spec.work.lease.amount, deletes=keeps_nothing, clocks=clocks)
        self._reconciler = Reconciler(link, keys, spec)
        self._trimmer = Trimmer(link, keys, spec)
        self._ghosts = Ghosts(link, keys, spec.janitor.ghosts.idle.amount, pods)
        self._deletion_costs = DeletionCosts(link, keys, spec.stream.consumer, pods)
        self._round_timer = Timer(ROUND, clocks)
        self._trim_timer = Timer(spec.janitor.trim.every.seconds, clocks)
        self._dead_timer = Timer(DEAD_EVERY, clocks)
        self._ghost_timer = Timer(spec.janitor.ghosts.every.seconds, clocks)
        self._cost_timer = Timer(COSTS_EVERY, clocks)
        self._has_more = False
        """Whether a task has more to do than fits into one round."""
        self._next_due: int | None = None
        self._wait = FIRST_WAIT

    def start_over(self) -> None:
        """Make all tasks due: a new leader has no measurements of earlier terms."""
        for timer in (self._round_timer, self._trim_timer, self._dead_timer, self._ghost_timer, self._cost_timer):
            timer.again()

    async def go(self) -> float:
        """Promote due messages, and make a round if it is time. Returns the seconds until the next call."""
        try:
            if self._has_more or self._round_timer.is_due():
                self._round_timer.begin()
                await self.make()
            else:
                await self._guard.do("promote", self._promote)
        except (Absent, Unanswered):
            wait, self._wait = self._wait, min(2 * self._wait, LONGEST_WAIT)
            return wait
        self._wait = FIRST_WAIT
        if self._has_more:
            return 0.0
        left = self._round_timer.left()
        return max(SHORTEST_WAIT, left if self._next_due is None else min(left, self._next_due / 1000))

    async def make(self) -> bool:
        """Make a round. Returns whether nothing failed. Raises Absent and Unanswered."""
        started = self._clocks.monotonic()
        self._guard.begin()
        self._has_more = False
        do = self._guard.do
        await do("promote", self._ensure)
        await do("promote", self._promote)
        await do("take_over", self._take_over)
        for page in self._reconciler.pages:
            await do("reconcile", partial(self._reconcile, page))
        if self._trimmer.keeps_history:
            await do("trim", self._trimmer.remember)
            await self._if_due("trim", self._trim_timer, self._trim_history)
        await self._if_due("trim", self._dead_timer, self._trim_dead)
        await self._if_due("ghosts", self._ghost_timer, self._remove_ghosts)
        if self._spec.scaling.protect_busy:
            await self._if_due("protect", self._cost_timer, self._set_deletion_costs)
        seconds = self._clocks.monotonic() - started
        self._metrics.pass_seconds.observe(seconds)
        succeeded = self._guard.end()
        log.event(Event.JANITOR_ROUND_ENDED, pipeline=self._name, succeeded=succeeded, seconds=round(seconds, 3))
        if succeeded:
            self._metrics.last_pass.set(self._clocks.wall())
        return succeeded

    async def _if_due(self, task: Task, timer: Timer, work: Callable[[], Awaitable[object]]) -> None:
        if timer.is_due():
            timer.soon()
            await self._guard.do(task, work)

    async def _ensure(self) -> None:
        result = await ensure_group(self._link, self._keys, self._spec)
        keys = self._keys
        if result == "made":
            log.event(Event.GROUP_CREATED, pipeline=self._name, stream=keys.stream, group=keys.group)
        elif result == "again":
            self._metrics.group_recreated.add()
            log.event(Event.GROUP_RECREATED, pipeline=self._name, stream=keys.stream, group=keys.group)

    async def _promote(self) -> None:
        self._next_due = None
        for _ in range(MOST_PAGES):
            result = await promote(self._link, self._keys)
            self._next_due = result.next_due
            self._metrics.promoted(result)
            self._log_lost(result.lost, "waiting")
            if result.refused:
                raise result.refused
            if result.next_due != 0 or not _did_something(result):
                return
        self._has_more = True

    async def _take_over(self) -> None:
        result = await self._takeover.run()
        self._metrics.taken_over(result)
        self._log_lost(result.lost, "pending")
        if result.suspects or result.removed:
            log.event(
                Event.MESSAGES_TAKEN_OVER, pipeline=self._name, messages=result.suspects, consumers=result.removed
            )

    async def _reconcile(self, page: Page) -> None:
        total = ReconcileResult()
        for _ in range(MOST_PAGES):
            page_result = await page()
            self._metrics.reconciled(page_result)
            total += page_result
            if not page_result.did_something:
                break
        else:
            self._has_more = True
        self._log_lost(total.gone, "pending")
        if total.did_something:
            log.event(Event.MESSAGES_RECONCILED, pipeline=self._name, **total.log_fields())

    async def _trim_history(self) -> None:
        for _ in range(MOST_PAGES):
            result = await self._trimmer.history()
            self._metrics.trimmed(result)
            if not result.more:
                self._trim_timer.begin()
                return
        self._trim_timer.again()
        self._has_more = True

    async def _trim_dead(self) -> None:
        for _ in range(MOST_PAGES):
            result = await self._trimmer.dead()
            self._metrics.dead_expired(result.removed)
            if not result.more:
                self._dead_timer.begin()
                return
        self._dead_timer.again()
        self._has_more = True

    async def _remove_ghosts(self) -> None:
        ghosts = await self._ghosts.find()
        left = len(ghosts)
        self._metrics.ghosts(left=left)
        for ghost in ghosts:
            name = ghost.name.decode(errors="backslashreplace")
            if self._spec.janitor.ghosts.dry_run:
                log.event(Event.GHOST_FOUND, pipeline=self._name, consumer=name, messages=ghost.pending)
                continue
            removed = await self._ghosts.remove(ghost)
            left -= removed.done
            self._metrics.ghosts(left=left, removed=removed.done, suspects=removed.suspects, lost=removed.lost)
            if removed.done:
                log.event(Event.GHOST_REMOVED, pipeline=self._name, consumer=name, messages=ghost.pending)
        self._ghost_timer.begin()

    async def _set_deletion_costs(self) -> None:
        await self._deletion_costs.update()
        self._cost_timer.begin()

    def _log_lost(self, count: int, state: Literal["pending", "waiting"]) -> None:
        if count:
            log.event(Event.MESSAGES_LOST, count=count, state=state, pipeline=self._name, stream=self._keys.stream)


def _did_something(result: PromoteResult) -> bool:
    return result.promoted + result.entered + result.lost > 0
