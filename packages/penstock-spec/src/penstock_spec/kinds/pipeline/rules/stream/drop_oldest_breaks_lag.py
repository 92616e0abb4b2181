"""Dropping unread messages makes the scaler count wrong.

Where history is kept, the length of the stream says nothing about the work left, so the scaler asks Redis for the
group's lag. Redis computes the lag from counters. After entries were dropped that the group had not read, the
counters no longer tell how many remain: the lag is wrong or missing for as long as the group has not read past the
gap, and pods come or go for no reason.

Keep messages `until-done`, where the signal is the length of the stream and stays exact. Or let a full backlog
`reject` or `wait`.
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
    stream = subject.spec.stream
    if stream.backlog.when_full == "drop-oldest" and stream.retention.keep != "until-done":
        at = subject.line("stream.retention.keep")
        message = f"the stream keeps history ({at}), so scaling counts by lag, which dropping unread messages breaks"
        hint = "write `reject` or `wait`, or `stream.retention.keep: until-done`"
        yield subject.problem("stream.backlog.when_full", message, hint)
