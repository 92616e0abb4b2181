"""A stream is marked lossy, but nothing drops messages.

`stream.backlog.lossy: true` allows `when_full: drop-oldest`. With `reject` and `wait` no message is ever dropped, so
it has no effect and misleads readers.

Remove it, or set `when_full: drop-oldest`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.without_effect import has_no_effect
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.INFO)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    backlog = subject.spec.stream.backlog
    if backlog.lossy and has_no_effect(
        subject, "stream.backlog.lossy", lambda spec: spec.stream.backlog.when_full != "drop-oldest"
    ):
        at = subject.line("stream.backlog.when_full")
        message = f"`stream.backlog.when_full` is `{backlog.when_full}` ({at}), which drops nothing"
        yield subject.problem("stream.backlog.lossy", message, "remove `lossy`, or set `when_full: drop-oldest`")
