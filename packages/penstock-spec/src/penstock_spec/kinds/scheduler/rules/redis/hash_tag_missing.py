"""A scheduler's keys need a hash tag on Redis Cluster.

Each step of a job is one script over several keys, and a cluster runs a script only if all its keys are in one slot.
Without a hash tag the keys are in different slots: the first script fails with `CROSSSLOT`, and no job ever runs.

Set `keys.hash_tag`, for example to the scheduler's name; the keys are then `waiting{cache-agents}` and so on.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    redis = subject.platform.redis
    if redis.topology == "cluster" and not subject.spec.keys.hash_tag:
        line = subject.platform_line("redis.topology")
        message = f"`{subject.environment}` is a cluster ({line}), but the keys have no hash tag"
        yield subject.problem("keys.hash_tag", message, f"add `keys: {{hash_tag: {subject.spec.name}}}`")
