"""The limit of dead letters is below one message, or the alert on them.

When `dead_letter.limit` is reached, messages are retried instead of buried. If `limit.length` is below
`alerts.dead_letters`, the alert on new dead letters cannot fire before that. If `limit.bytes` is below
`message.max_size`, one large message is enough to reach it.

Raise the limit, or lower the other value.
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
    spec, limit = subject.spec, subject.spec.dead_letter.limit
    if limit.length is not None and limit.length < spec.alerts.dead_letters:
        at = subject.line("alerts.dead_letters")
        message = f"`PenstockDeadLetters` fires at {spec.alerts.dead_letters} ({at}), but only {limit.length} fit"
        hint = f"set it to at least {spec.alerts.dead_letters}"
        yield subject.problem("dead_letter.limit.length", message, hint)
    size = spec.message.max_size
    if limit.bytes is not None and limit.bytes < size:
        at = subject.line("message.max_size")
        message = f"one message may have {size} ({at}), which is more than {limit.bytes} for all dead letters"
        yield subject.problem("dead_letter.limit.bytes", message, f"set it to at least `{size}`")
