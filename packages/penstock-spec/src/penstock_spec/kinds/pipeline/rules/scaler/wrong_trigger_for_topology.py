"""A trigger's type does not match the Redis topology.

KEDA has one trigger type for a single Redis, one for Redis Cluster and one for Sentinel. With the wrong type it
connects to one node of a cluster, or to a sentinel as if it were the server, and fails.

Do not patch the type: it is generated from `redis.topology` of each environment.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.scaler.scaled_object import LISTS, STREAMS
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler, topology = effective(subject), subject.platform.redis.topology
    for trigger in scaler.triggers:
        for types in (STREAMS, LISTS):
            if trigger.type in types.values() and trigger.type != types[topology]:
                line = subject.platform_line("redis.topology")
                message = f"`{trigger.type}` does not fit the topology `{topology}` (redis.topology, {line})"
                yield scaler.problem(message, f"write `{types[topology]}`", (*trigger.place, "type"))
