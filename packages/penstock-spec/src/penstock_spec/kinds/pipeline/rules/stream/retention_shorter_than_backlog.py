"""The stream keeps fewer entries than may wait.

`stream.retention.keep.length` is the number of entries that the stream keeps. Unfinished messages are never trimmed,
so a backlog above that number makes the stream longer, and every message disappears as soon as it is done: the history
that other readers or an audit rely on is gone.

Keep at least as many entries as may wait, or lower `stream.backlog.limit`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.stream import KeepLength
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    keep, limit = subject.spec.stream.retention.keep, subject.spec.stream.backlog.limit
    if isinstance(keep, KeepLength) and keep.length < limit:
        at = subject.line("stream.backlog.limit")
        message = f"up to {limit} messages may wait (`stream.backlog.limit`, {at}), which leaves no history"
        hint = f"keep at least `{limit}` entries, or set `stream.backlog.limit` to at most `{keep.length}`"
        yield subject.problem("stream.retention.keep.length", message, hint)
