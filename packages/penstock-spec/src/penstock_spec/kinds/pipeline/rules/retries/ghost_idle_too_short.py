"""A busy consumer of another make can be taken for a ghost.

Workers of another make keep no lease. The janitor knows their ghosts by idle time and by the list of pods; a worker
that runs outside of the cluster has no pod, so that idle time alone protects it. A consumer is idle for as long as
its handler runs: with `janitor.ghosts.idle` not above `work.timeout` and a lease, a working one is removed and its
message runs twice.

Set `janitor.ghosts.idle` to several times the longest work.
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
    at = next((path for path in ("janitor.ghosts.idle", "stream.foreign_workers") if subject.given(path)), "")
    if needed < idle or not (subject.given("janitor.ghosts.idle") or subject.spec.stream.foreign_workers):
        return
    message = (
        f"after {idle} a consumer is taken for a ghost ({subject.line('janitor.ghosts.idle')}), "
        f"and work.timeout and a lease are {needed} together"
    )
    yield subject.problem(at, message, f"set `janitor.ghosts.idle` to more than `{needed}`")
