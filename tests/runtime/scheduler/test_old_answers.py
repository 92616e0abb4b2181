"""A pod that stood still between asking and hearing: what it was given may be another's by now."""

import asyncio
import time
from collections.abc import Sequence

import pytest
from inside import pod, spec_of
from promises import keep, until
from targets import Target

from penstock.scheduler.clock import RedisClock
from penstock.scheduler.context import JobContext
from penstock.scheduler.steps import load
from penstock.scripts import Script
from penstock.wire.errors import Reply
from penstock.wire.link import Link
from penstock.wire.words import Word
from penstock_spec.kinds.scheduler.effective import Effective
from penstock_spec.kinds.scheduler.keys import Keys

HEAD = 5
"""Of an answer to acquire; behind it stand the jobs."""


@pytest.mark.parametrize(("lease", "stood"), [("60s", 5.0), ("10s", 5.0)], ids=["past its deadline", "its lease"])
def test_what_was_given_too_long_ago_is_not_begun(target: Target, lease: str, stood: float) -> None:
    """It goes back, and is taken anew."""
    timeout = "4s" if lease == "60s" else "1h"
    jobs = [{"name": "job", "every": "1h", "timeout": timeout}]
    spec = spec_of(jobs=jobs, handler="asyncio:sleep", work={"lease": lease})
    ran: list[int] = []
    given: list[int] = []
    later = 0.0

    class Sleeps(Link):
        async def run(self, script: Script, keys: Sequence[str | bytes], args: Sequence[Word]) -> Reply:
            nonlocal later
            answer = await super().run(script, keys, args)
            if script is load("acquire") and isinstance(answer, list) and len(answer) > HEAD:
                row = answer[HEAD]
                assert isinstance(row, list)
                assert isinstance(row[3], int)
                given.append(row[3])
                later += stood if len(given) == 1 else 0
            return answer

    def link(name: str) -> Link:
        made = target.link(Keys.of(spec.keys).waiting, name)
        made.__class__ = Sleeps
        return made

    async def handle(job: Effective, context: JobContext) -> None:
        del job
        ran.append(context.fence)

    async def promise() -> int:
        one = pod(target, spec, handle, "pod", link=link, own=lambda: time.monotonic() + later)
        task = asyncio.create_task(one.run())
        await until(lambda: bool(ran), "it runs")
        one.stop()
        return await task

    assert keep(promise()) == 0
    assert len(given) >= 2
    assert ran == [given[1]]


def test_an_old_answer_does_not_tell_the_time() -> None:
    """What was measured before stays: the pod's own clock went on while the pod stood still."""
    now = 100.0
    clock = RedisClock(lambda: now, 10)
    clock.told(5_000_000, asked=90.0)
    assert clock.now() == 5000.0, "the first is better than none"
    now = 160.0
    clock.told(5_001_000, asked=100.5)
    assert (clock.now(), clock.is_stale) == (5060.0, True)
    clock.told(5_059_000, asked=159.5)
    assert (clock.now(), clock.is_stale) == (5059.0, False)
