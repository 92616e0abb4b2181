"""A pipeline needs more connections than Redis accepts.

Each worker holds three connections: one for blocking reads, one to settle messages and one to renew the lease. Each
janitor pod holds three as well. If `scaling.replicas.max` pods need more than `redis.connections`, the last pods
cannot connect exactly when the backlog is highest. Worse, workers and the janitor are refused too when they reconnect.

Lower `scaling.replicas.max` and raise `work.concurrency` instead, which needs no connections. Or let Redis accept more
and raise `redis.connections` in the platform file.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.connections import PER_WORKER, connections_per_janitor
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.display import many


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    limit = subject.platform.redis.connections
    if limit is None:
        return
    pods = subject.spec.scaling.replicas.max
    janitor = subject.platform.janitor.replicas * connections_per_janitor(1, subject.platform.redis.topology)
    if pods * PER_WORKER + janitor > limit:
        message = (
            f"{many(pods, 'pod')} {'needs' if pods == 1 else 'need'} {pods * PER_WORKER} connections "
            f"and the janitor {janitor}, but Redis accepts {limit} ({subject.platform_line('redis.connections')})"
        )
        max_pods = (limit - janitor) // PER_WORKER
        hint = (
            f"set `scaling.replicas.max` to at most `{max_pods}`"
            if max_pods > 0
            else "raise `redis.connections`; not even one worker fits"
        )
        yield subject.problem("scaling.replicas.max", message, hint)
