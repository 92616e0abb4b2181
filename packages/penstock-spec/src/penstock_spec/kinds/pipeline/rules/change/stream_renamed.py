"""A stream is renamed while messages may lie in the old one.

Workers read the new key from the moment they are rolled out, and nobody reads the old one: what still waits there, is
parked or delayed, stays for ever. Producers that were not rolled out yet go on sending to it. The same holds for the
dead letters: nobody lists or purges those under the old key.

Move the producers first, let the old stream run empty (`penstock status`), and only then rename. Then say so in the
spec, under `acknowledge`, with the change `rename-stream` and the last day on which it counts.
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
    for path, before, after in (*keys, dead) if change.now.given("dead_letter.key") else keys:
        if before != after:
            yield change.problem(path, f"it was `{before}`, and what lies there is read by nobody any more")
