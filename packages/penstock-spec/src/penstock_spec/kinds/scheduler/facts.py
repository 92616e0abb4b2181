"""Facts about a scheduler for rules over several specs, beyond the values of its fields."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.kinds.scheduler.effective import jobs_of
from penstock_spec.kinds.scheduler.spec import Scheduler


def facts(subject: SpecContext[Scheduler]) -> Iterator[tuple[str, object]]:
    """The messages of listed jobs and their pipelines, by path."""
    for index, job in enumerate(jobs_of(subject.spec)):
        if job.send is not None:
            yield f"jobs[{index}].send.pipeline", job.send.pipeline
            yield f"jobs[{index}].send.message", job.send.message
