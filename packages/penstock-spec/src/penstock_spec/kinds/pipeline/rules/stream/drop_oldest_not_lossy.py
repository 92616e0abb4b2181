"""Messages may be dropped, and the spec does not call that lossy.

With `stream.backlog.when_full: drop-oldest` a send that meets a full backlog drops the oldest message that nobody has
read. That is right for positions and measurements, where only the newest counts, and wrong for nearly everything
else. So it must be said twice.

Set `stream.backlog.lossy: true` if losing unread messages is acceptable. Otherwise write `reject`, which fails the
send, or `wait`, which holds it back.
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
        message = "above the limit it drops messages that nobody has read, and `stream.backlog.lossy` is not `true`"
        hint = "add `lossy: true` beside it if losing them is acceptable, or write `reject` or `wait`"
        yield subject.problem("stream.backlog.when_full", message, hint)
