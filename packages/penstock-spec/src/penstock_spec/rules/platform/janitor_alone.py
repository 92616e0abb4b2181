"""Nobody stands by for the janitor.

The janitor wakes delayed and parked messages, takes over from lost workers and tells the metrics of pipelines without
a worker. With one replica all of that stops while its pod moves to another node. Workers that run do some of it
themselves; a pipeline at zero has none, and sleeps through its due messages.

Set `janitor.replicas` to 2. The second waits for the leader's lock and costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import EnvironmentContext
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem
from penstock_spec.rules.define import platform_rule


@platform_rule(Severity.WARNING)
def rule(subject: EnvironmentContext) -> Iterator[Problem]:
    if subject.platform.janitor.replicas == 1:
        message = "while this one pod moves, sleeping pipelines are not woken by messages that fall due"
        yield subject.problem("janitor.replicas", message, "write `2`")
