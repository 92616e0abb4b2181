"""A busy foreign consumer can be removed as a ghost.

Foreign consumers, which no Penstock worker registered, have no lease. The janitor recognizes their ghosts by idle time
and by the list of pods. A worker outside the cluster has no pod, so only its idle time protects it, and a consumer is
idle while its handler runs. If `janitor.ghosts.idle` is not longer than `work.timeout` plus the lease, a busy consumer
is removed and its message runs twice.

Set `janitor.ghosts.idle` to several times the longest processing time.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    idle, needed = subject.spec.janitor.ghosts.idle, subject.spec.work.timeout + subject.spec.work.lease
    at = next((path for path in ("janitor.ghosts.idle", "stream.foreign_workers") if subject.is_set(path)), "")
    if needed < idle or not (subject.is_set("janitor.ghosts.idle") or subject.spec.stream.foreign_workers):
        return
    message = (
        f"an idle foreign consumer counts as a ghost after {idle} ({subject.line('janitor.ghosts.idle')}), "
        f"but `work.timeout` plus the lease is {needed}"
    )
    yield subject.problem(at, message, f"set `janitor.ghosts.idle` to more than `{needed}`")
