"""The rounds over one pipeline: what is due at its time, all the rest every two seconds."""

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
"""Seconds between two rounds: the longest that a new due time is not seen, and short beside the shortest lease."""
SHORTEST = 0.25
"""Seconds between two looks at what is due."""
MOST = 20
"""Pages of one task in one round. Then it is the others' turn, and the next round follows at once."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 5.0
"""Seconds before a pipeline is tried again whose Redis does not answer."""
DEAD_EVERY = 60.0
BUSY_EVERY = 15.0
"""Seconds; an HPA looks no more often."""

log = Log(logging.getLogger(__name__))


class Rounds:
    """Looks after one pipeline."""

    def __init__(
        self, pipeline: ResolvedPipeline, pair: PipelineLinks, tally: JanitorMetrics, pods: PodsApi, clocks: Clocks
    ) -> None:
        """Of its links it uses the one for work."""
        spec, keys, link = pipeline.spec, pipeline.keys, pair.work
        self._name = pipeline.name
        self._spec = spec
        self._keys = keys
        self._link = link
        self._tally = tally
        self._clocks = clocks
        self._guard = TaskGuard(pipeline.name, tally, pair.reach)
        self._takeover = Takeover(link, keys, spec.work.lease.amount, clocks=clocks)
        self._reconciler = Reconciler(link, keys, spec)
        self._trimmer = Trimmer(link, keys, spec)
        self._ghosts = Ghosts(link, keys, spec.janitor.ghosts.idle.amount, pods)
        self._busy = DeletionCosts(link, keys, spec.stream.consumer, pods)
        self._round = Timer(ROUND, clocks)
        self._trim = Timer(spec.janitor.trim.every.seconds, clocks)
        self._dead = Timer(DEAD_EVERY, clocks)
        self._haunt = Timer(spec.janitor.ghosts.every.seconds, clocks)
        self._protect = Timer(BUSY_EVERY, clocks)
        self._more = False
        """A task had more to do than fits into one round."""
        self._next_due: int | None = None
        self._wait = FIRST_WAIT

    def start_over(self) -> None:
        """It leads anew: what it told before it did not lead is not known any more, so nothing waits for its time."""
        for timer in (self._round, self._trim, self._dead, self._haunt, self._protect):
            timer.again()

    async def go(self) -> float:
        """What is due, and a round if it is time. Returns the seconds until this should be called again."""
        try:
            if self._more or self._round.is_due():
                self._round.begin()
                await self.make()
            else:
                await self._guard.do("promote", self._promote)
        except (Absent, Unanswered):
            wait, self._wait = self._wait, min(2 * self._wait, LONGEST_WAIT)
            return wait
        self._wait = FIRST_WAIT
        if self._more:
            return 0.0
        left = self._round.left()
        return max(SHORTEST, left if self._next_due is None else min(left, self._next_due / 1000))

    async def make(self) -> bool:
        """A whole round; whether nothing failed. Raises Absent and Unanswered."""
        began = self._clocks.monotonic()
        self._guard.begin()
        self._more = False
        do = self._guard.do
        await do("promote", self._ensure)
        await do("promote", self._promote)
        await do("take_over", self._sweep)
        for page in self._reconciler.pages:
            await do("reconcile", partial(self._reconcile, page))
        if self._trimmer.keeps_history:
            await do("trim", self._trimmer.remember)
            await self._at_times("trim", self._trim, self._trim_history)
        await self._at_times("trim", self._dead, self._trim_dead)
        await self._at_times("ghosts", self._haunt, self._remove_ghosts)
        if self._spec.scaling.protect_busy:
            await self._at_times("protect", self._protect, self._protect_busy)
        self._tally.pass_seconds.observe(self._clocks.monotonic() - began)
        well = self._guard.end()
        if well:
            self._tally.last_pass.set(self._clocks.wall())
        return well

    async def _at_times(self, task: Task, timer: Timer, what: Callable[[], Awaitable[object]]) -> None:
        if timer.is_due():
            timer.soon()
            await self._guard.do(task, what)

    async def _ensure(self) -> None:
        made = await ensure_group(self._link, self._keys, self._spec)
        keys = self._keys
        if made == "made":
            log.event(Event.GROUP_CREATED, pipeline=self._name, stream=keys.stream, group=keys.group)
        elif made == "again":
            self._tally.group_recreated.add()
            log.event(Event.GROUP_RECREATED, pipeline=self._name, stream=keys.stream, group=keys.group)

    async def _promote(self) -> None:
        self._next_due = None
        for _ in range(MOST):
            result = await promote(self._link, self._keys)
            self._next_due = result.next_due
            self._tally.promoted(result)
            self._log_lost(result.lost, "waiting")
            if result.refused:
                raise result.refused
            if result.next_due != 0 or not _did_something(result):
                return
        self._more = True

    async def _sweep(self) -> None:
        result = await self._takeover.run()
        self._tally.taken_over(result)
        self._log_lost(result.lost, "pending")
        if result.suspects or result.removed:
            log.event(
                Event.MESSAGES_TAKEN_OVER, pipeline=self._name, messages=result.suspects, consumers=result.removed
            )

    async def _reconcile(self, page: Page) -> None:
        found = ReconcileResult()
        for _ in range(MOST):
            one = await page()
            self._tally.reconciled(one)
            found += one
            if not one.found:
                break
        else:
            self._more = True
        self._log_lost(found.gone, "pending")
        if found.found:
            log.event(Event.MESSAGES_RECONCILED, pipeline=self._name, **found.told())

    async def _trim_history(self) -> None:
        for _ in range(MOST):
            one = await self._trimmer.history()
            self._tally.trimmed(one)
            if not one.more:
                self._trim.begin()
                return
        self._trim.again()
        self._more = True

    async def _trim_dead(self) -> None:
        for _ in range(MOST):
            one = await self._trimmer.dead()
            self._tally.dead_expired(one.removed)
            if not one.more:
                self._dead.begin()
                return
        self._dead.again()
        self._more = True

    async def _remove_ghosts(self) -> None:
        found = await self._ghosts.find()
        left = len(found)
        self._tally.ghosts(left=left)
        for ghost in found:
            name = ghost.name.decode(errors="backslashreplace")
            if self._spec.janitor.ghosts.dry_run:
                log.event(Event.GHOST_FOUND, pipeline=self._name, consumer=name, messages=ghost.pending)
                continue
            removed = await self._ghosts.remove(ghost)
            left -= removed.done
            self._tally.ghosts(left=left, removed=removed.done, suspects=removed.suspects, lost=removed.lost)
            if removed.done:
                log.event(Event.GHOST_REMOVED, pipeline=self._name, consumer=name, messages=ghost.pending)
        self._haunt.begin()

    async def _protect_busy(self) -> None:
        await self._busy.protect()
        self._protect.begin()

    def _log_lost(self, count: int, state: Literal["pending", "waiting"]) -> None:
        if count:
            log.event(Event.MESSAGES_LOST, count=count, state=state, pipeline=self._name, stream=self._keys.stream)


def _did_something(result: PromoteResult) -> bool:
    return result.promoted + result.entered + result.lost > 0
