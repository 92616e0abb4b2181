"""Maintains a pipeline from its workers: promotes due messages, and checks what can be claimed, once a second.

At intervals it also takes over messages of lost workers, so that a pipeline works without a janitor. For that it also
brings back what a group that vanished or was set back had delivered: Redis may lose its last writes when it restarts.
"""

from __future__ import annotations

from typing import Protocol

from penstock.clocks import Clocks
from penstock.keys import PipelineKeys
from penstock.maintenance.group import GroupState, ensure_group
from penstock.maintenance.promote import PromoteResult, promote
from penstock.maintenance.replies import without_group
from penstock.maintenance.takeover import Takeover, TakeoverResult
from penstock.maintenance.unowned import reconcile_stream
from penstock.observe.events import Activity
from penstock.wire.errors import RedisTrouble, Refused
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.spec import Pipeline

EVERY = 1.0
LEAST = 0.02


class MaintenanceObserver(Protocol):
    """Gets the results of maintenance."""

    async def promoted(self, result: PromoteResult) -> None:
        """Messages were promoted, or can be claimed."""

    def taken_over(self, result: TakeoverResult) -> None:
        """Messages were taken over."""

    def brought_back(self, count: int) -> None:
        """Entries that a group that vanished or was set back had delivered are ready again."""

    def ensured(self, how: GroupState) -> None:
        """The group exists."""

    def trouble(self, activity: Activity, error: RedisTrouble) -> None:
        """Redis failed this activity."""


class MaintenanceLoop:
    """Promotes every second, and as soon as something is due."""

    def __init__(
        self,
        link: Link,
        keys: PipelineKeys,
        spec: Pipeline,
        observer: MaintenanceObserver,
        *,
        clocks: Clocks,
    ) -> None:
        self._link = link
        self._keys = keys
        self._spec = spec
        self._observer = observer
        self._monotonic = clocks.monotonic
        self._sleep = clocks.sleep
        keeps_nothing = spec.stream.retention.keeps_nothing
        self._takeover = Takeover(link, keys, spec.work.lease.amount, deletes=keeps_nothing, clocks=clocks)

    async def run(self) -> None:
        """Maintain the pipeline until cancelled."""
        # Plus EVERY, this is less than the third of a lease that breaks contact.
        every = self._spec.work.lease.seconds / 5
        take_over_at = self._monotonic()
        while True:
            wait, activity = EVERY, Activity.PROMOTING
            try:
                result = await promote(self._link, self._keys)
                await self._observer.promoted(result)
                if result.next_due is not None:
                    wait = max(LEAST, min(EVERY, result.next_due / 1000))
                if result.left:
                    activity = Activity.BRINGING_BACK
                    page = await reconcile_stream(self._link, self._keys, self._spec)
                    self._observer.brought_back(page.brought_back)
                    wait = LEAST  # the next promotion offers them, and there may be more
                if self._monotonic() >= take_over_at:
                    take_over_at, activity = self._monotonic() + every, Activity.TAKING_OVER
                    self._observer.taken_over(await self._takeover.run())
            except RedisTrouble as error:
                self._observer.trouble(activity, error)
                if isinstance(error, Refused) and without_group(error):
                    await self._ensure_group()
            await self._sleep(wait)

    async def _ensure_group(self) -> None:
        try:
            self._observer.ensured(await ensure_group(self._link, self._keys, self._spec))
        except RedisTrouble as error:
            self._observer.trouble(Activity.CREATING_GROUP, error)
