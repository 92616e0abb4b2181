"""A busy consumer of another make can be taken for a ghost.

Workers of another make keep no lease. The janitor knows their ghosts by idle time and by the list of pods; a worker
that runs outside of the cluster has no pod, so that idle time alone protects it. A consumer is idle for as long as
its handler runs: with `janitor.ghosts.idle` not above `work.timeout` and a lease, a working one is removed and its
message runs twice.

Set `janitor.ghosts.idle` to several times the longest work.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject


@spec_rule(Severity.WARNING)
def rule(it: Subject[Pipeline]) -> Iterator[Found]:
    """Idle time must be longer than work; it counts where foreign workers do, or where somebody wrote it."""
    idle, needed = it.spec.janitor.ghosts.idle, it.spec.work.timeout + it.spec.work.lease
    at = next((path for path in ("janitor.ghosts.idle", "stream.foreign_workers") if it.given(path)), "")
    if needed < idle or not (it.given("janitor.ghosts.idle") or it.spec.stream.foreign_workers):
        return
    says = (
        f"after {idle} a consumer is taken for a ghost ({it.line('janitor.ghosts.idle')}), "
        f"and work.timeout and a lease are {needed} together"
    )
    yield it.problem(at, says, f"set `janitor.ghosts.idle` to more than `{needed}`")
