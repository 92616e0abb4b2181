"""A job's shard does not exist.

Shards are numbered from 0 to `shards.count` minus 1. No pod takes a job in a higher shard, and it is overdue forever.

Write a smaller number, or raise `shards.count`. Without `shard`, the job's name decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import jobs_of
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    count = subject.spec.shards.count
    for index, job in enumerate(jobs_of(subject.spec)):
        if job.shard is not None and job.shard >= count:
            line = subject.line("shards.count")
            message = f"there {'is 1 shard' if count == 1 else f'are {count} shards'} ({line}), numbered from 0"
            smaller = f"set it to at most `{count - 1}`" if count > 1 else "remove it"
            yield subject.problem(f"jobs[{index}].shard", message, f"{smaller}, or raise `shards.count`")
