"""A job is in a shard that there is not.

Shards are numbered from 0, and `shards.count` says how many there are. A job in a shard beyond them belongs to
nobody: no pod takes it, and it is overdue for ever.

Write a smaller number, or raise `shards.count`. Without `shard` the job's name decides.
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
            smaller = f"write at most `{count - 1}`" if count > 1 else "take it out"
            yield subject.problem(f"jobs[{index}].shard", message, f"{smaller}, or raise `shards.count`")
