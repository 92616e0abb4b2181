"""The backlog is full before all workers are busy.

What is being worked on counts towards `stream.backlog.limit` until it is done. When all workers together could run
more than that, the limit is met while some of them stand idle: sends are refused, held back or cost unread messages
although there is room to work, and `scaling.replicas.max` is never reached.

Set the limit to at least `work.concurrency` times `scaling.replicas.max`, and better to several times that.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject


@spec_rule(Severity.ERROR)
def rule(it: Subject[Pipeline]) -> Iterator[Found]:
    """What runs counts as backlog, so the limit must hold at least that."""
    limit, each, most = it.spec.stream.backlog.limit, it.spec.work.concurrency, it.spec.scaling.replicas.max
    if limit < each * most:
        told = f"{most} pods ({it.line('scaling.replicas.max')}) x {each} messages ({it.line('work.concurrency')})"
        if it.given("stream.backlog.limit"):
            says = f"workers can run {each * most} at a time: {told}"
            yield it.problem("stream.backlog.limit", says, f"set `stream.backlog.limit` to at least `{each * most}`")
        else:
            path = "scaling.replicas.max" if it.given("scaling.replicas.max") else "work.concurrency"
            says = f"workers can run {each * most} at a time: {told}; `stream.backlog.limit` is {limit} by default"
            yield it.problem(path, says, f"set `stream.backlog.limit` to at least `{each * most}`")
