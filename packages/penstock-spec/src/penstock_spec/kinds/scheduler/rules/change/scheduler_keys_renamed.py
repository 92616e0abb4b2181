"""A scheduler's keys are renamed while its jobs stand in the old ones.

Pods look under the new keys from the moment they are rolled out, and register every job anew there. What Redis knew
under the old ones is left behind: which jobs are paused, how often each has failed in a row, which runs of a cron job
were missed, who runs what. While pods of both versions are there, each job runs under the old keys and under the new.

Scale the scheduler to no pods, let what runs end, rename, and start it again; then pause anew what was paused. Say that
in the spec, under `acknowledge`, with the change `rename-keys` and the last day on which it counts.
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
            told = f"it was `{was}`" if was else "there was none"
            yield change.problem(f"keys.{part}", f"{told}, and what Redis knows of the jobs stays under the old keys")
