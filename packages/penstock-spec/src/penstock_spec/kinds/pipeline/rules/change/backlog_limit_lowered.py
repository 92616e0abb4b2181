"""Less may wait than before.

Where more than the new limit waits at this moment, senders are refused or held back from the rollout on, although
nothing else has changed for them; with `drop-oldest` unread messages are dropped at once.

Look at what waits (`penstock status`) and at the highest it has been, then lower the limit. Then say so in the spec,
under `acknowledge`, with the change `lower-backlog-limit` and the last day on which it counts.
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
            "stream.backlog.limit", f"it was {before.limit}; above it senders meet `{after.when_full}`"
        )
