"""Dropping unread messages makes the scaling signal wrong.

If a stream keeps finished messages, its length says nothing about the remaining work, so KEDA reads the group's lag.
Redis computes lag from counters. After entries that the group had not read are dropped, these counters no longer show
how many remain: until the group has read past the gap, the lag is wrong or missing, and pods start or stop without a
reason.

Keep messages `until-done`, where the scaling signal is the exact length of the stream, or set
`stream.backlog.when_full` to `reject` or `wait`.
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
        message = f"the stream keeps finished messages ({at}), so it scales by lag, which is wrong after drops"
        hint = "set it to `reject` or `wait`, or set `stream.retention.keep: until-done`"
        yield subject.problem("stream.backlog.when_full", message, hint)
