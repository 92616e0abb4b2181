"""A consumer group is renamed and loses its progress.

A new group starts at the first entry of the stream: if the stream keeps history, everything in it runs again. Messages
that the old group had read but not finished are not processed; its parked messages and counts of attempts stay under
keys with its name, and its entries hold back trimming until it is destroyed.

Stop the producers and let the group finish (`penstock status`), then rename it and destroy the old one with `XGROUP
DESTROY`. Acknowledge the change in the spec: under `acknowledge`, write `change: rename-group`, a reason and an end
date.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import ChangeContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import change_rule


@change_rule(Severity.ERROR, "rename-group")
def rule(change: ChangeContext[Pipeline]) -> Iterator[Problem]:
    before, after = change.before.stream.group, change.after.stream.group
    if before != after and change.before.stream.key == change.after.stream.key:
        yield change.problem("stream.group", f"it was `{before}`; `{after}` starts at the first entry of the stream")
