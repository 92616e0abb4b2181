"""A pod looks for what is due more seldom than jobs are due.

A pod asks Redis for due jobs every `work.interval`. A job that is due more often than that waits for the next look, and
runs as often as pods look: with one pod every `work.interval`, with more somewhat more often.

Set `work.interval` to at most the shortest `every`; the default of `1s` is right for most.
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
        message = f"`{printable(every[1])}` is due every {every[0]}, and pods look every {interval}"
        yield subject.problem("work.interval", message, f"write at most `{every[0]}`; `1s` is the default")
