"""A consumer group is renamed, and forgets what was done.

A group that is made anew begins at the stream's first entry: where the stream keeps history, everything that is still
in it is worked on again. What the old group had read and not finished is known to nobody, its parked messages and
uncharged attempts lie under keys with its name, and its entries hold trimming back until it is destroyed.

Stop the senders and let the group finish (`penstock status`), then rename it and destroy the old one with `XGROUP
DESTROY`. Then say so in the spec, under `acknowledge`, with the change `rename-group` and the last day on which it
counts.
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
        yield change.problem("stream.group", f"it was `{before}`, and `{after}` begins anew with what is in the stream")
