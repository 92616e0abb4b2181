"""A hanging job becomes due again before it is cancelled.

A job that overruns its deadline is cancelled after `cleanup.zombies.threshold` (or the threshold of `exceptional`),
and abandoned after a further `abandon_after`. Its pod reports that it still runs, and so it keeps its job. If a handler
blocks the event loop, the pod cannot report it, and after `cleanup.orphans.threshold` the leader makes the job due
again. If that is earlier, the job runs in two places at the same time.

Raise `cleanup.orphans.threshold`, or lower the others.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Duration


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    zombies, orphans = subject.spec.cleanup.zombies, subject.spec.cleanup.orphans
    path, longest = "cleanup.zombies.threshold", zombies.threshold
    if zombies.exceptional.pattern and zombies.exceptional.threshold > longest:
        path, longest = "cleanup.zombies.exceptional.threshold", zombies.exceptional.threshold
    pattern = "cleanup.zombies.exceptional.pattern"
    end = Duration.of(longest.amount + zombies.abandon_after.amount)
    if zombies.enabled and orphans.enabled and orphans.threshold.amount <= end.amount:
        message = (
            f"a job may hang for {longest} after its deadline ({subject.line(path)}) plus {zombies.abandon_after}, "
            f"but is due again after {orphans.threshold}"
        )
        at = subject.first_set("cleanup.orphans.threshold", path, "cleanup.zombies.abandon_after", pattern)
        yield subject.problem(at, message, f"set `cleanup.orphans.threshold` to more than `{end}`")
