"""Due jobs that a pod does not list, such as those of another version during a rollout, delay none of its own."""

import asyncio
from collections import Counter
from collections.abc import Sequence

import pytest
from event_loop import run_async, until
from in_process_scheduler import pod, spec_of
from targets import Target

from penstock.scheduler.context import JobContext
from penstock.scheduler.job_steps import JobEntry, JobSteps, load
from penstock.scheduler.refresh import Refresh
from penstock.scripts import Script
from penstock.wire.command import Argument
from penstock.wire.errors import Reply
from penstock.wire.link import Link
from penstock_spec.kinds.scheduler.effective import EffectiveJob
from penstock_spec.kinds.scheduler.keys import SchedulerKeys

UNLISTED = 1500


class Counting(Link):
    """Counts the calls of acquire."""

    acquires = 0

    async def run(self, script: Script, keys: Sequence[str | bytes], args: Sequence[Argument]) -> Reply:
        self.acquires += script is load("acquire")
        return await super().run(script, keys, args)


def test_unlisted_jobs_do_not_delay_a_pods_own(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """They stay due for other pods; neither they nor the list of jobs are read again and again."""
    spec = spec_of(
        jobs=[{"name": "own", "every": "1s"}],
        handler="asyncio:sleep",
        work={"concurrency": 50},
        refresh={"every": "1h"},
    )
    keys, ran, refreshes = SchedulerKeys.of(spec.keys), Counter[str](), Counter[str]()
    once = Refresh.once

    async def counted(self: Refresh) -> bool:
        refreshes["all"] += 1
        return await once(self)

    monkeypatch.setattr(Refresh, "once", counted)

    async def handle(job: EffectiveJob, context: JobContext) -> None:
        del context
        ran[job.name] += 1

    async def scenario() -> int:
        link = target.link(keys.waiting)
        steps = JobSteps(link, keys)
        second = await steps.time() // 1000
        for page in range(0, UNLISTED, 500):
            names = [f"unlisted-{number:04}" for number in range(page, page + 500)]
            unlisted = [JobEntry(name, "1000 500 0 30s", 500, second - 50, second - 50) for name in names]
            await steps.register(unlisted)
        links: list[Counting] = []

        def counting(name: str) -> Link:
            counting_link = target.link(keys.waiting, name)
            counting_link.__class__ = Counting
            links.append(counting_link)  # type: ignore[arg-type] # its class was changed
            return counting_link

        scheduler = pod(target, spec, handle, "pod", link=counting)
        task = asyncio.create_task(scheduler.run())
        await until(lambda: ran["own"] >= 3, "`own` has run three times")
        before, listings = links[0].acquires, refreshes["all"]
        await until(lambda: ran["own"] >= 8, "`own` has run eight times")
        assert links[0].acquires - before < 40, "a few calls a second"
        assert refreshes["all"] == listings, "unlisted jobs do not make the pod read its list again"
        scheduler.stop()
        code = await task
        await link.close()
        return code

    assert run_async(scenario()) == 0
    assert set(ran) == {"own"}
    assert target.ask("ZCARD", keys.waiting) == UNLISTED + 1
