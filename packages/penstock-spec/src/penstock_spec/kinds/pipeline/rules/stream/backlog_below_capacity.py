"""The backlog is full before all workers are busy.

What is being worked on counts towards `stream.backlog.limit` until it is done. When all workers together could run
more than that, the limit is met while some of them stand idle: sends are refused, held back or cost unread messages
although there is room to work, and `scaling.replicas.max` is never reached.

Set the limit to at least `work.concurrency` times `scaling.replicas.max`, and better to several times that.
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
    limit, each, most = (
        subject.spec.stream.backlog.limit,
        subject.spec.work.concurrency,
        subject.spec.scaling.replicas.max,
    )
    if limit < each * most:
        pods, messages = subject.line("scaling.replicas.max"), subject.line("work.concurrency")
        told = f"{most} pods ({pods}) x {each} messages ({messages})"
        if subject.given("stream.backlog.limit"):
            message = f"workers can run {each * most} at a time: {told}"
            yield subject.problem(
                "stream.backlog.limit", message, f"set `stream.backlog.limit` to at least `{each * most}`"
            )
        else:
            path = "scaling.replicas.max" if subject.given("scaling.replicas.max") else "work.concurrency"
            message = f"workers can run {each * most} at a time: {told}; `stream.backlog.limit` is {limit} by default"
            yield subject.problem(path, message, f"set `stream.backlog.limit` to at least `{each * most}`")
