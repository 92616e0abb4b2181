"""All specs together need more connections than Redis takes.

Each worker pod holds three connections, and so does each of the janitor's; on a cluster that holds two for each
pipeline. A scheduler's pod holds five, and one more for each pipeline that its jobs send to. When a busy hour takes all
pipelines of the environment to their maximum, the last pods are refused. A pod that has to reconnect then is refused as
well, loses its lease, and what it ran runs again elsewhere: the whole environment gets slower just when there is most
to do.

Lower `scaling.replicas.max` of the largest pipelines and raise their `work.concurrency`, which costs no connections; of
a scheduler, `replicas` and its `work.concurrency`. Or let Redis take more, and say so here.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import Fleet, SpecFacts
from penstock_spec.findings import Severity
from penstock_spec.kinds import kinds
from penstock_spec.reading import Problem
from penstock_spec.rules.define import fleet_rule

SEVERAL = 2
NAMED = 3


@fleet_rule(Severity.ERROR)
def rule(fleet: Fleet) -> Iterator[Problem]:
    limit = fleet.platform.platform.redis.connections
    members = sorted(fleet.members, key=lambda one: (-_connections(one), one.file))
    here = {name: sum(1 for _ in fleet.of(name)) for name in kinds()}
    around = fleet.platform.platform
    tending = sum(kinds()[name].tending(count, around.redis.topology) for name, count in here.items())
    if limit is None or (len(members) < SEVERAL and tending):
        return  # a pipeline that is too large alone is told by `replicas-exceed-connections`
    janitor = around.janitor.replicas * tending
    pods = sum(_connections(one) for one in members)
    if pods + janitor > limit:
        told = ", ".join(f"`{one.values['name']}` ({_connections(one)})" for one in members[:NAMED])
        all_ = f"{len(members)} specs at their maximum hold" if len(members) > 1 else "1 spec at its maximum holds"
        message = f"{all_} {pods} and the janitor {janitor}; the largest: {told}"
        fields = " or ".join(f"`{kinds()[name].most_pods}`" for name, count in here.items() if count)
        hint = f"lower {fields} of the largest, or let Redis take `{pods + janitor}`"
        yield fleet.platform.problem("redis.connections", message, hint)


def _connections(member: SpecFacts) -> int:
    return int(member.values["connections"])
