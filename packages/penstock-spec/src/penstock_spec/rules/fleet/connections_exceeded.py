"""All specs together need more connections than Redis accepts.

A worker pod holds three connections. A janitor pod holds three as well, or on a cluster one plus two for each
pipeline. A scheduler pod holds five, plus one for each pipeline that its jobs send to. When a busy hour scales all
pipelines to their maximum, Redis refuses the last pods. A pod that has to reconnect is refused too, loses its lease,
and its messages run again elsewhere: the whole environment slows down when it has the most work.

Lower `scaling.replicas.max` of the largest pipelines and raise their `work.concurrency`, which needs no connections;
for a scheduler, lower `replicas` and raise its `work.concurrency`. Or let Redis accept more, and raise
`redis.connections`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import Fleet, SpecFacts
from penstock_spec.findings import Severity
from penstock_spec.kinds import kinds
from penstock_spec.reading import Problem
from penstock_spec.rules.define import fleet_rule
from penstock_spec.values.display import many

SEVERAL = 2
NAMED = 3


@fleet_rule(Severity.ERROR)
def rule(fleet: Fleet) -> Iterator[Problem]:
    platform = fleet.platform.platform
    limit = platform.redis.connections
    members = sorted(fleet.members, key=lambda member: (-_connections(member), member.file))
    counts = {name: sum(1 for _ in fleet.of(name)) for name in kinds()}
    per_janitor = sum(
        kinds()[name].janitor_connections(count, platform.redis.topology) for name, count in counts.items()
    )
    if limit is None or (len(members) < SEVERAL and per_janitor):
        return  # `replicas-exceed-connections` reports a single pipeline that is too large
    janitor = platform.janitor.replicas * per_janitor
    pods = sum(_connections(member) for member in members)
    if pods + janitor > limit:
        largest = ", ".join(f"`{member.values['name']}` ({_connections(member)})" for member in members[:NAMED])
        need, their = ("need", "their") if len(members) > 1 else ("needs", "its")
        specs = many(len(members), "spec")
        message = (
            f"{specs} {need} {pods} connections at {their} maximum and the janitor {janitor}; the largest: {largest}"
        )
        fields = " or ".join(f"`{kinds()[name].replicas_field}`" for name, count in counts.items() if count)
        hint = f"lower {fields} of the largest, or raise `redis.connections` to `{pods + janitor}`"
        yield fleet.platform.problem("redis.connections", message, hint)


def _connections(member: SpecFacts) -> int:
    return int(member.values["connections"])
