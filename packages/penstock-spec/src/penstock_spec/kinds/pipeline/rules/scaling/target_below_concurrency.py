"""Pods are asked for that will have little to do.

`scaling.backlog_per_replica` messages are worth one pod, and messages that run count too. A pod that can run
`work.concurrency` of them at a time, and is added for less than half as many, stands mostly idle: the pipeline goes
to its maximum under a load that a few pods could carry.

Set the target to the concurrency or to a small multiple of it. A lower one is right where each message is heavy and
must not share its pod; then lower the concurrency instead.
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
        if subject.given("scaling.backlog_per_replica"):
            message = f"a pod runs {each} messages at a time (`work.concurrency`, {subject.line('work.concurrency')})"
            yield subject.problem(
                "scaling.backlog_per_replica", message, f"set `scaling.backlog_per_replica` to at least `{each}`"
            )
        else:
            message = f"a pod is added for every {target} messages (`scaling.backlog_per_replica`, by default)"
            yield subject.problem(
                "work.concurrency", message, f"set `scaling.backlog_per_replica` to at least `{each}`"
            )
