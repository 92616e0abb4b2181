"""Hands back the jobs of lost pods, as soon as their leases have expired.

A job may be what crashes its pods. So its lost runs in a row are counted in its record: from the second one on it
waits, longer each time, and they count towards `failures.pause_after`.

One pod, the leader, does this for all. The leadership only saves work: if a lost pod stays unnoticed for half a lease,
any pod hands back its jobs.

A lease may have expired only because Redis was unavailable, so that no pod could renew it. So a pod judges leases only
after Redis has answered without a break for as long as a lease.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from penstock.clocks import Clocks
from penstock.maintenance.contact import Contact
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.scheduler.acquiring import Acquiring
from penstock.scheduler.job_steps import ALL, MOST, PAGE, CleanedSet, JobSteps, OrphanPage, shards_word
from penstock.scheduler.metrics import SchedulerMetrics
from penstock.wire.errors import RedisTrouble
from penstock_spec.kinds.scheduler.spec import Scheduler

CHECKS = 5
"""Checks per lease: often enough that no break in contact stays undetected between two of them."""
PRUNED = 1
"""Entries of limits in one call: each may list a thousand runs."""
UNSEEN_REFRESHES = 3
"""Refreshes after which a job that no pod registered counts as removed from all lists."""

log = Log(logging.getLogger("penstock.scheduler"))


class OrphanCleanup:
    """The cleanup of one pod, which cleans up all jobs while it is the leader."""

    def __init__(  # noqa: PLR0913, PLR0917 - its collaborators, each of another type
        self,
        spec: Scheduler,
        steps: JobSteps,
        acquiring: Acquiring,
        metrics: SchedulerMetrics,
        clocks: Clocks,
        name: str,
    ) -> None:
        """`name` identifies this process, independently of its consumer."""
        self._terms = spec.cleanup.orphans
        self._lease = spec.work.lease
        self._leadership = min(self._terms.leadership.amount, self._lease.amount)
        """In ms. A lock that outlasts a lease would delay the recovery of jobs whose leader was lost."""
        self._refresh = spec.refresh.every.seconds
        self._unseen = UNSEEN_REFRESHES * self._refresh + self._lease.seconds
        self._steps = steps
        self._acquiring = acquiring
        self._metrics = metrics
        self._monotonic = clocks.monotonic
        self._name = name
        self._contact = Contact(steps.link, self._lease.amount // 2, clocks)
        self._next = self._remove_unlisted_at = clocks.monotonic()
        self._cut_off: tuple[CleanedSet, int] | None = None
        self.returned = 0
        self._leads = False

    async def run(self) -> None:
        """Run until cancelled."""
        while self._terms.enabled:
            try:
                await self._check()
            except RedisTrouble as error:
                self._contact.broken()
                self._metrics.trouble(error)
            except Exception as error:  # noqa: BLE001 - an unexpected reply
                self._metrics.pass_errors["orphans"].add()
                log.event(Event.ORPHANS_CHECK_FAILED, error)
            await asyncio.sleep(self._lease.seconds / CHECKS)

    async def give_up(self) -> None:
        """Give up the leadership."""
        if self._leads:
            await self._steps.lead(self._name, 0)

    async def _check(self) -> None:
        await self._contact.check_server()
        now = await self._steps.time()
        self._contact.answered(now)
        leads = self._terms.force_all_pods
        if not leads:
            leads = await self._steps.lead(self._name, self._leadership)
            if leads != self._leads:
                log.event(Event.SCHEDULER_BECAME_LEADER if leads else Event.SCHEDULER_BECAME_STANDBY)
            self._leads = leads
            self._metrics.leader.set(leads)
        judges = self._contact.lasts(self._lease.amount)
        if leads and self._monotonic() >= self._next:
            await self._pass(judges=judges)
        elif await self._has_lost_pods(now, judges=judges, ignored=0 if leads else self._lease.amount // 2):
            # Of all shards: the pods of a shard may be those that were lost.
            await self._quick_pass("working", ALL, judges=judges)
        elif leads and await self._has_overdue(now):
            await self._quick_pass("overdue", self._own_shards(), judges=judges)
        if not leads:
            return
        # A job that a new version no longer lists stays overdue until it is removed.
        if self._monotonic() >= self._remove_unlisted_at:
            await self._remove_unlisted(now // 1000)
            await self._prune_limits()
            self._remove_unlisted_at = self._monotonic() + self._refresh

    async def _has_lost_pods(self, now: int, *, judges: bool, ignored: int) -> bool:
        """Whether leases have expired, or consumers are marked as lost, for longer than the `ignored` milliseconds."""
        first, last = f"-{now - ignored}" if ignored else "-inf", f"({now - ignored}" if judges else "(0"
        return bool(await self._steps.link.call("ZCOUNT", self._steps.keys.pods, first, last))

    async def _has_overdue(self, now: int) -> bool:
        return bool(await self._steps.link.call("ZCOUNT", self._steps.keys.working, "-inf", now // 1000))

    async def _pass(self, *, judges: bool) -> None:
        """Look at all jobs, and at foreign entries."""
        started = self._monotonic()
        shards = self._own_shards()
        finished = await self._clean("working", started, shards, judges=judges)
        if finished:
            finished = await self._clean("waiting", started, shards, judges=False)
        if finished:
            # Leases that could not be judged yet are checked again soon.
            self._next = self._monotonic() + (self._terms.every.seconds if judges else self._lease.seconds / CHECKS)
        self._metrics.passes["orphans"].observe(self._monotonic() - started)

    async def _quick_pass(self, which: CleanedSet, shards: str, *, judges: bool) -> None:
        """Look at runs only, because pods are lost or deadlines are over."""
        started = self._monotonic()
        await self._clean(which, started, shards, judges=judges)
        self._metrics.passes["orphans"].observe(self._monotonic() - started)

    def _own_shards(self) -> str:
        return shards_word(self._acquiring.listed.shards if self._terms.force_all_pods else None)

    async def _clean(self, which: CleanedSet, began: float, shards: str, *, judges: bool) -> bool:
        """Clean up page by page from where the last pass was cut off; False if the time budget ran out again."""
        further, budget = 0, self._terms.budget.seconds
        if self._cut_off is not None and self._cut_off[0] == which:
            further, self._cut_off = self._cut_off[1], None
        try:
            while further >= 0:
                page = await self._steps.clean(
                    which,
                    further,
                    threshold=self._terms.threshold.amount,
                    judges=judges,
                    shards=shards,
                    removes_numeric=self._terms.remove_numeric,
                    lease=self._lease.amount,
                    waits_for_deadline=self._terms.wait_for_deadline,
                )
                self._report(page)
                further = page.further
                if further >= 0 and budget and self._monotonic() - began > budget:
                    self._cut_off = which, further
                    self._metrics.cut_off["orphans"].add()
                    return False
        except RedisTrouble:
            self._metrics.pass_errors["orphans"].add()
            raise
        return True

    def _report(self, page: OrphanPage) -> None:
        self.returned += page.returned
        self._metrics.orphans_returned.add(page.returned)
        self._metrics.orphans_removed["unknown"].add(page.unknown)
        self._metrics.orphans_removed["numeric"].add(page.numeric)
        if page.consumers:
            log.event(Event.PODS_LOST, pods=page.consumers)
        if page.returned:
            log.event(Event.JOBS_RETURNED, jobs=page.returned)
        for job in page.repeated:
            if job.losses > 1:
                log.event(Event.JOB_LOST_AGAIN, job=job.name, in_a_row=job.losses, next_due=job.due or None)
            if not job.due:
                log.event(Event.JOB_GIVEN_UP, job=job.name, in_a_row=job.failures)
        if page.unknown or page.numeric:
            log.event(Event.JOBS_REMOVED, unknown=page.unknown, numeric=page.numeric)

    async def _prune_limits(self) -> None:
        """Remove limits of labels' values that no run has any more."""
        cursor = b"0"
        while True:
            reply: Any = await self._steps.link.call("HSCAN", self._steps.keys.limits, cursor, "COUNT", PRUNED)
            cursor, rows = reply[0], reply[1]
            for at in range(0, len(rows), 2 * PRUNED):
                await self._steps.prune(rows[at : at + 2 * PRUNED : 2])
            if cursor == b"0":
                return

    async def _remove_unlisted(self, now: int) -> None:
        """Remove jobs of no running spec: no pod has registered them for a while, and this pod does not list them."""
        listed, since, cursor = self._acquiring.listed, int(now - self._unseen), b"0"
        wanted = listed.known - listed.disabled
        while True:
            reply: Any = await self._steps.link.call("HSCAN", self._steps.keys.jobs, cursor, "COUNT", MOST)
            cursor, rows = reply[0], reply[1]
            names = [name.decode(errors="replace") for name in rows[::2]]
            old = [
                name
                for name, registration in zip(names, rows[1::2], strict=True)
                if name not in wanted and int(registration.rpartition(b" ")[2]) < since
            ]
            for at in range(0, len(old), PAGE):
                gone = await self._steps.unregister(old[at : at + PAGE], unseen_since=since)
                self._metrics.reconciled["unregistered"].add(gone)
            if cursor == b"0":
                return
