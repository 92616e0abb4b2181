"""The backlog limit is lowered.

If more messages than the new limit are waiting during the rollout, producers are rejected or delayed immediately; with
`drop-oldest` unread messages are dropped.

Check the current backlog (`penstock status`) and its maximum in the past before you lower the limit. Then acknowledge
the change in the spec: under `acknowledge`, write `change: lower-backlog-limit`, a reason and an end date.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import ChangeContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import change_rule


@change_rule(Severity.ERROR, "lower-backlog-limit")
def rule(change: ChangeContext[Pipeline]) -> Iterator[Problem]:
    before, after = change.before.stream.backlog, change.after.stream.backlog
    if after.limit < before.limit:
        yield change.problem(
            "stream.backlog.limit", f"it was {before.limit}; at the limit `{after.when_full}` applies to producers"
        )
