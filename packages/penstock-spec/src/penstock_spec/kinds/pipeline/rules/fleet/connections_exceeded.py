"""All pipelines together need more connections than Redis takes.

Each worker pod holds three connections, and so does each of the janitor's; on a cluster that holds two for each
pipeline. When a busy hour takes all pipelines of the
environment to their maximum, the last pods are refused. A worker that has to reconnect then is refused as well, loses
its lease, and its messages run again elsewhere: the whole environment gets slower just when there is most to do.

Lower `scaling.replicas.max` of the largest pipelines and raise their `work.concurrency`, which costs no connections.
Or let Redis take more, and say so here.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.connections import PER_WORKER, per_janitor
from penstock_spec.reading import Found
from penstock_spec.rules.define import fleet_rule
from penstock_spec.subject import Fleet, Shown

SEVERAL = 2
NAMED = 3


@fleet_rule(Severity.ERROR)
def rule(it: Fleet) -> Iterator[Found]:
    """Everything at its maximum must fit."""
    limit = it.platform.platform.redis.connections
    members = sorted(it.of("pipeline"), key=lambda one: (-_connections(one), one.file))
    if limit is None or len(members) < SEVERAL:
        return  # one that is too large alone is told by `replicas-exceed-connections`
    around = it.platform.platform
    janitor = around.janitor.replicas * per_janitor(len(members), around.redis.topology)
    workers = sum(_connections(one) for one in members)
    if workers + janitor > limit:
        told = ", ".join(f"`{one.values['name']}` ({_connections(one)})" for one in members[:NAMED])
        says = (
            f"{len(members)} pipelines at their maximum hold {workers} and the janitor {janitor}; the largest: {told}"
        )
        hint = f"lower `scaling.replicas.max` of the largest, or let Redis take `{workers + janitor}`"
        yield it.platform.problem("redis.connections", says, hint)


def _connections(member: Shown) -> int:
    return int(member.values["scaling.replicas.max"]) * PER_WORKER
