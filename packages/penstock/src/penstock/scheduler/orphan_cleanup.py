"""Jobs of pods that are gone: one pod, the leader, looks after them for all.

Whether a lease is over that nobody renewed may be Redis's own doing: while it stood still nobody could. So the leader
judges only what happened within its sight, a whole lease of answers close together.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Literal

from penstock.clocks import Clocks
from penstock.maintenance.contact import Contact
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.scheduler.acquiring import Acquiring
from penstock.scheduler.job_steps import MOST, JobSteps, OrphanPage, shards_word
from penstock.scheduler.metrics import SchedulerMetrics
from penstock.wire.errors import RedisTrouble
from penstock_spec.kinds.scheduler.spec import Scheduler

LOOKS = 5
"""In the time of a lease: often enough that a break in contact cannot hide between two of them."""
UNSEEN = 3
"""Refreshes after which a job that nobody has registered is on no list."""

log = Log(logging.getLogger("penstock.scheduler"))


class OrphanCleanup:
    """One pod's share of the work: all of it where it leads."""

    def __init__(  # noqa: PLR0913, PLR0917 - what it works with, each of a kind of its own
        self,
        spec: Scheduler,
        steps: JobSteps,
        taking: Acquiring,
        tally: SchedulerMetrics,
        clocks: Clocks,
        name: str,
    ) -> None:
        """`name` is this process's, whatever its consumer is called."""
        self._terms = spec.cleanup.orphans
        self._lease = spec.work.lease
        self._refresh = spec.refresh.every.seconds
        self._unseen = UNSEEN * self._refresh + self._lease.seconds
        self._steps = steps
        self._taking = taking
        self._tally = tally
        self._monotonic = clocks.monotonic
        self._name = name
        self._contact = Contact(steps.link, self._lease.amount // 2, clocks)
        self._next = self._forgets_at = clocks.monotonic()
        self._cut_off: tuple[Literal["working", "waiting"], int] | None = None
        self.returned = 0
        self._leads = False

    async def run(self) -> None:
        """Until cancelled."""
        while self._terms.enabled:
            try:
                await self._look()
            except RedisTrouble as error:
                self._contact.broken()
                self._tally.trouble(error)
            except Exception as error:  # noqa: BLE001 - an answer that is none of ours
                self._tally.pass_errors["orphans"].add()
                log.event(Event.ORPHANS_CHECK_FAILED, error)
            await asyncio.sleep(self._lease.seconds / LOOKS)

    async def give_up(self) -> None:
        """The next who asks leads."""
        if self._leads:
            await self._steps.lead(self._name, 0)

    async def _look(self) -> None:
        await self._contact.recognise()
        now = await self._steps.time()
        self._contact.answered(now)
        if not self._terms.force_all_pods:
            leads = await self._steps.lead(self._name, self._terms.leadership.amount)
            if leads != self._leads:
                log.event(Event.SCHEDULER_BECAME_LEADER if leads else Event.SCHEDULER_BECAME_STANDBY)
            self._leads = leads
            self._tally.leader.set(leads)
            if not leads:
                return
        judges = self._contact.lasts(self._lease.amount)
        if self._monotonic() >= self._next or (judges and await self._some_are_lost(now)):
            await self._pass(judges=judges)
        if (
            self._monotonic() >= self._forgets_at
        ):  # what a new version does not list is due, and overdue, until it is forgotten
            await self._forget_what_no_list_has(now // 1000)
            self._forgets_at = self._monotonic() + self._refresh

    async def _some_are_lost(self, now: int) -> bool:
        told: Any = await self._steps.link.call("ZCOUNT", self._steps.keys.pods, "-inf", f"({now}")
        return bool(told)

    async def _pass(self, *, judges: bool) -> None:
        began = self._monotonic()
        whole = began >= self._next
        try:
            ended = await self._clean("working", began, judges=judges)
            if ended and whole:
                ended = await self._clean("waiting", began, judges=False)
        except RedisTrouble:
            self._tally.pass_errors["orphans"].add()
            raise
        if not ended:
            self._tally.cut_off["orphans"].add()
        elif whole:
            # What could not be judged yet is looked at again as soon as it can.
            self._next = self._monotonic() + (self._terms.every.seconds if judges else self._lease.seconds / LOOKS)
        self._tally.passes["orphans"].observe(self._monotonic() - began)

    async def _clean(self, which: Literal["working", "waiting"], began: float, *, judges: bool) -> bool:
        """All pages, from where the last pass was cut off; false where the budget is over again."""
        further, budget = 0, self._terms.budget.seconds
        if self._cut_off is not None and self._cut_off[0] == which:
            further, self._cut_off = self._cut_off[1], None
        shards = shards_word(self._taking.listed.shards if self._terms.force_all_pods else None)
        while further >= 0:
            page = await self._steps.clean(
                which,
                further,
                threshold=self._terms.threshold.amount,
                judges=judges,
                shards=shards,
                removes_numeric=self._terms.remove_numeric,
            )
            self._tell(page)
            further = page.further
            if further >= 0 and budget and self._monotonic() - began > budget:
                self._cut_off = which, further
                return False
        return True

    def _tell(self, page: OrphanPage) -> None:
        self.returned += page.returned
        self._tally.orphans_returned.add(page.returned)
        self._tally.orphans_removed["unknown"].add(page.unknown)
        self._tally.orphans_removed["numeric"].add(page.numeric)
        if page.consumers:
            log.event(Event.PODS_LOST, pods=page.consumers)
        if page.returned:
            log.event(Event.JOBS_RETURNED, jobs=page.returned)
        if page.unknown or page.numeric:
            log.event(Event.JOBS_REMOVED, unknown=page.unknown, numeric=page.numeric)

    async def _forget_what_no_list_has(self, now: int) -> None:
        """Jobs of a spec that is not run any more: nobody has registered them for a while, and our list lacks them."""
        listed, since, cursor = self._taking.listed, int(now - self._unseen), b"0"
        wanted = listed.known - listed.disabled
        while True:
            told: Any = await self._steps.link.call("HSCAN", self._steps.keys.jobs, cursor, "COUNT", MOST)
            cursor, rows = told[0], told[1]
            names = [name.decode(errors="replace") for name in rows[::2]]
            old = [
                name
                for name, says in zip(names, rows[1::2], strict=True)
                if name not in wanted and int(says.rpartition(b" ")[2]) < since
            ]
            for at in range(0, len(old), MOST):
                gone = await self._steps.unregister(old[at : at + MOST], unseen_since=since)
                self._tally.reconciled["unregistered"].add(gone)
            if cursor == b"0":
                return
