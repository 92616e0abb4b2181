"""Pods check for due jobs less often than jobs are due.

A pod asks Redis for due jobs every `work.interval`. A job with a shorter interval waits for the next check, so it runs
only as often as pods check: with one pod every `work.interval`, with several pods somewhat more often.

Set `work.interval` to at most the shortest `every`; the default of `1s` is right for most schedulers.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import effective_jobs
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    interval = subject.spec.work.interval
    every = min(
        ((job.every, job.name) for job in effective_jobs(subject.spec) if job.every),
        default=None,
        key=lambda one: one[0],
    )
    if every is not None and every[0] < interval:
        message = f"`{printable(every[1])}` is due every {every[0]}, but pods check every {interval}"
        yield subject.problem(
            "work.interval", message, f"set `work.interval` to at most `{every[0]}`; the default is `1s`"
        )
