"""A worker may hold fewer messages than it can run.

`work.max_pending_per_worker` limits the running and parked messages of a worker. If it is below `work.concurrency`,
some slots never get a message, but the pod reserves resources for them.

Set `max_pending_per_worker` to several times the concurrency, so that parked messages do not stop the worker from
reading; or remove it, so that they never do; or lower the concurrency.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    work = subject.spec.work
    if work.max_pending_per_worker is not None and work.max_pending_per_worker < work.concurrency:
        message = (
            f"`work.concurrency` is {work.concurrency} ({subject.line('work.concurrency')}), but a worker may hold "
            f"{work.max_pending_per_worker} ({subject.line('work.max_pending_per_worker')})"
        )
        hint = f"set `work.max_pending_per_worker` to at least `{work.concurrency}`, or remove it"
        yield subject.problem("work.max_pending_per_worker", message, hint)
