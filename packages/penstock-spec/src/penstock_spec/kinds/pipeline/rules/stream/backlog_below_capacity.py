"""The backlog limit is below the capacity of the workers.

Running messages count towards `stream.backlog.limit` until they are done. If all workers together can run more than
the limit, it is reached while some of them are idle: new messages are rejected, delayed or replace unread ones
although there is free capacity, and `scaling.replicas.max` is never reached.

Set the limit to at least `work.concurrency` times `scaling.replicas.max`, better to several times that.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.display import many


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    limit, each, most = (
        subject.spec.stream.backlog.limit,
        subject.spec.work.concurrency,
        subject.spec.scaling.replicas.max,
    )
    if limit < each * most:
        pods, messages = subject.line("scaling.replicas.max"), subject.line("work.concurrency")
        capacity = f"{many(most, 'pod')} ({pods}) x {many(each, 'message')} ({messages})"
        if subject.is_set("stream.backlog.limit"):
            message = f"workers can run {each * most} at a time: {capacity}"
            yield subject.problem(
                "stream.backlog.limit", message, f"set `stream.backlog.limit` to at least `{each * most}`"
            )
        else:
            path = "scaling.replicas.max" if subject.is_set("scaling.replicas.max") else "work.concurrency"
            message = (
                f"workers can run {each * most} at a time: {capacity}; `stream.backlog.limit` is {limit} by default"
            )
            yield subject.problem(path, message, f"set `stream.backlog.limit` to at least `{each * most}`")
