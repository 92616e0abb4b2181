"""The janitor has no standby.

The janitor promotes delayed and parked messages, takes over from lost workers and exports the metrics of pipelines
that have no worker. With one replica all of that stops while its pod moves to another node. Running workers do part of
this work; a pipeline scaled to zero has none, and does not wake up when its messages become due.

Set `janitor.replicas` to 2. The standby waits for the leader's lock and needs almost no resources.
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
        message = "while this one pod moves, pipelines scaled to zero do not wake up for due messages"
        yield subject.problem("janitor.replicas", message, "set `janitor.replicas` to `2`")
