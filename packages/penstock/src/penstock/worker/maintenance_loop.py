"""Beside the blocked read, once a second: promote what is due, and look at what may be claimed.

Now and then it looks after lost workers too, so that a pipeline without a janitor goes on.
"""

from __future__ import annotations

from typing import Protocol

from penstock.clocks import Clocks
from penstock.keys import PipelineKeys
from penstock.maintenance.group import GroupState, ensure
from penstock.maintenance.promote import PromoteResult, promote
from penstock.maintenance.replies import without_group
from penstock.maintenance.takeover import Takeover, TakeoverResult
from penstock.observe.events import Activity
from penstock.wire.errors import RedisTrouble, Refused
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.spec import Pipeline

EVERY = 1.0
LEAST = 0.02


class MaintenanceObserver(Protocol):
    """Who wants to know."""

    async def promoted(self, result: PromoteResult) -> None:
        """What was promoted, and what may be claimed."""

    def taken_over(self, result: TakeoverResult) -> None:
        """What was taken over."""

    def ensured(self, how: GroupState) -> None:
        """The group is there."""

    def trouble(self, activity: Activity, error: RedisTrouble) -> None:
        """Redis did not answer as it should."""


class MaintenanceLoop:
    """Looks every second, and at once when something is due."""

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
        self._takeover = Takeover(link, keys, spec.work.lease.amount, clocks=clocks)

    async def run(self) -> None:
        """Until cancelled."""
        every = self._spec.work.lease.seconds / 5  # with our sleep on top, less than the third that breaks contact
        sweep_at = self._monotonic()
        while True:
            wait, activity = EVERY, Activity.PROMOTING
            try:
                result = await promote(self._link, self._keys)
                await self._observer.promoted(result)
                if result.next_due is not None:
                    wait = max(LEAST, min(EVERY, result.next_due / 1000))
                if self._monotonic() >= sweep_at:
                    sweep_at, activity = self._monotonic() + every, Activity.TAKING_OVER
                    self._observer.taken_over(await self._takeover.run())
            except RedisTrouble as error:
                self._observer.trouble(activity, error)
                if isinstance(error, Refused) and without_group(error):
                    await self._ensure_group()
            await self._sleep(wait)

    async def _ensure_group(self) -> None:
        try:
            self._observer.ensured(await ensure(self._link, self._keys, self._spec))
        except RedisTrouble as error:
            self._observer.trouble(Activity.CREATING_GROUP, error)
