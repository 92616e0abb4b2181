"""A pod that inspects nearly only jobs of others says so, once a minute at most."""

import asyncio
import logging

import pytest
from event_loop import run_async
from in_process_scheduler import pod, spec_of
from targets import Target

from penstock.clocks import Clocks
from penstock.observe.events import Event
from penstock.scheduler.context import JobContext
from penstock_spec.kinds.scheduler.effective import EffectiveJob


async def handle(job: EffectiveJob, context: JobContext) -> None:
    """Do nothing."""


@pytest.mark.parametrize(("passed", "acquired", "warnings"), [(500, 0, 1), (500, 50, 1), (500, 100, 0), (499, 0, 0)])
def test_many_jobs_of_others_are_reported(
    target: Target, caplog: pytest.LogCaptureFixture, passed: int, acquired: int, warnings: int
) -> None:
    """If they are many within a minute, and nearly all that the pod inspected. Each half minute has these numbers."""
    now = 100.0

    async def scenario() -> None:
        nonlocal now
        scheduler = pod(target, spec_of(jobs=[]), handle, "pod", clocks=Clocks(monotonic=lambda: now))
        for _ in range(2):
            scheduler._metrics.filtered["shard"].add(passed)  # noqa: SLF001 - as replies of acquire do
            scheduler._acquiring.acquired += acquired  # noqa: SLF001 - as above
            now += 31
            scheduler._health.check_passed_over()  # noqa: SLF001 - as the check of the pod's health does
            await asyncio.sleep(0)

    with caplog.at_level(logging.WARNING):
        run_async(scenario())
    reported = [one for one in caplog.records if getattr(one, "penstock_event", None) == Event.JOBS_PASSED_OVER]
    assert len(reported) == warnings
