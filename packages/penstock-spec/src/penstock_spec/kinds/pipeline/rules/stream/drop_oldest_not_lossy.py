"""Messages may be dropped without `lossy: true`.

With `stream.backlog.when_full: drop-oldest`, a send to a full backlog drops the oldest unread message. That is right
if only the latest value counts, as for sensor readings and GPS positions, and wrong for nearly everything else. So it
needs a second setting as a confirmation.

Set `stream.backlog.lossy: true` if losing unread messages is acceptable. Otherwise use `reject`, which fails the send,
or `wait`, which delays it.
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
    backlog = subject.spec.stream.backlog
    if backlog.when_full == "drop-oldest" and not backlog.lossy:
        message = "a full backlog drops unread messages, but `stream.backlog.lossy` is not `true`"
        hint = "add `lossy: true` if losing messages is acceptable, or use `reject` or `wait`"
        yield subject.problem("stream.backlog.when_full", message, hint)
