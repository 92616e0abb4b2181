"""A scheduler's keys are renamed and lose their state.

New pods read only the new keys and register every job again. The state under the old keys is lost: which jobs are
paused, how often each failed in a row, which cron runs were missed, and which jobs are running. While pods of both
versions exist, each job runs under the old and the new keys.

Scale the scheduler to zero, let running jobs end, rename the keys and start it again; then pause the paused jobs
again. Acknowledge the change in the spec: under `acknowledge`, write `change: rename-keys`, a reason and an end date.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import ChangeContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import change_rule


@change_rule(Severity.ERROR, "rename-keys")
def rule(change: ChangeContext[Scheduler]) -> Iterator[Problem]:
    before, after = change.before.keys.model_dump(), change.after.keys.model_dump()
    for part, was in before.items():
        if was != after[part]:
            previous = f"it was `{was}`" if was else "it was not set"
            yield change.problem(f"keys.{part}", f"{previous}; the state of the jobs stays under the old keys")
