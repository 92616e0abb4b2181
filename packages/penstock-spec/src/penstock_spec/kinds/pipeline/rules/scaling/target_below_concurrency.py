"""The backlog per replica is far below the concurrency.

The autoscaler starts one pod per `scaling.backlog_per_replica` messages, including running ones. If that is less than
half of the `work.concurrency` messages that a pod can run at a time, pods are mostly idle: the pipeline scales to its
maximum under a load that a few pods could handle.

Set `scaling.backlog_per_replica` to the concurrency or a small multiple of it. If messages are so heavy that they must
not share a pod, lower the concurrency instead.
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
    target, each = subject.spec.scaling.backlog_per_replica, subject.spec.work.concurrency
    if target * 2 < each:
        if subject.is_set("scaling.backlog_per_replica"):
            message = f"a pod runs {each} messages at a time (`work.concurrency`, {subject.line('work.concurrency')})"
            yield subject.problem(
                "scaling.backlog_per_replica", message, f"set `scaling.backlog_per_replica` to at least `{each}`"
            )
        else:
            message = f"a pod is added for every {target} messages (`scaling.backlog_per_replica`, by default)"
            yield subject.problem(
                "work.concurrency", message, f"set `scaling.backlog_per_replica` to at least `{each}`"
            )
