"""What rules across specs may know of a scheduler beside the values of its fields."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.kinds.scheduler.effective import jobs_of
from penstock_spec.kinds.scheduler.spec import Scheduler


def facts(subject: SpecContext[Scheduler]) -> Iterator[tuple[str, object]]:
    """What its listed jobs send, and to whom."""
    for index, job in enumerate(jobs_of(subject.spec)):
        if job.send is not None:
            yield f"jobs[{index}].send.pipeline", job.send.pipeline
            yield f"jobs[{index}].send.message", job.send.message
