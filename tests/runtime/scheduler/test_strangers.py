"""Due jobs that a pod does not list: during a rollout, pods of another version may list many."""

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

STRANGERS = 1500


class Counting(Link):
    """Counts the acquires."""

    acquires = 0

    async def run(self, script: Script, keys: Sequence[str | bytes], args: Sequence[Argument]) -> Reply:
        self.acquires += script is load("acquire")
        return await super().run(script, keys, args)


def test_unlisted_jobs_do_not_delay_a_pods_own(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """They stay due for other pods, and neither they nor the list are read again and again."""
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
        for page in range(0, STRANGERS, 500):
            names = [f"stranger-{number:04}" for number in range(page, page + 500)]
            told = [JobEntry(name, "1000 500 0 30s", 500, second - 50, second - 50) for name in names]
            await steps.register(told)
        links: list[Counting] = []

        def counting(name: str) -> Link:
            made = target.link(keys.waiting, name)
            made.__class__ = Counting
            links.append(made)  # type: ignore[arg-type] # it is one now
            return made

        one = pod(target, spec, handle, "pod", link=counting)
        task = asyncio.create_task(one.run())
        await until(lambda: ran["own"] >= 3, "it runs")
        before, often = links[0].acquires, refreshes["all"]
        await until(lambda: ran["own"] >= 8, "it runs on")
        assert links[0].acquires - before < 40, "a few calls a second"
        assert refreshes["all"] == often, "the list is not asked for again as it has none of them"
        one.stop()
        code = await task
        await link.close()
        return code

    assert run_async(scenario()) == 0
    assert set(ran) == {"own"}
    assert target.ask("ZCARD", keys.waiting) == STRANGERS + 1
