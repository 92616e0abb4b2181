"""A stream is renamed while the old one may hold messages.

New workers read only the new key. Messages that wait in the old stream, or are parked or delayed beside it, are never
processed, and producers that are not updated yet keep sending to it. The same applies to dead letters: commands no
longer list or purge those under the old key.

Update the producers first, let the old stream drain (`penstock status`), and only then rename it. Acknowledge the
change in the spec: under `acknowledge`, write `change: rename-stream`, a reason and an end date.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import ChangeContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import change_rule


@change_rule(Severity.ERROR, "rename-stream")
def rule(change: ChangeContext[Pipeline]) -> Iterator[Problem]:
    keys = (("stream.key", change.before.stream.key, change.after.stream.key),)
    dead = ("dead_letter.key", change.before.dead_letter.key, change.after.dead_letter.key)
    for path, before, after in (*keys, dead) if change.now.is_set("dead_letter.key") else keys:
        if before != after:
            yield change.problem(path, f"it was `{before}`; nothing reads that key any more")
