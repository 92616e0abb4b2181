"""A pipeline at its maximum needs more connections than Redis takes.

Each worker holds three connections: one blocks in the read, one settles, and one renews the lease. The janitor's pods
hold three each. When `scaling.replicas.max` pods would go beyond `redis.connections`, the last ones cannot connect
just when the backlog is highest; worse, a worker that reconnects then, or the janitor, is refused too.

Lower `scaling.replicas.max` and raise `work.concurrency` instead, which costs no connections. Or let Redis take more,
and say so in the platform file.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.connections import PER_WORKER, per_janitor
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    limit = subject.platform.redis.connections
    if limit is None:
        return
    pods = subject.spec.scaling.replicas.max
    janitor = subject.platform.janitor.replicas * per_janitor(1, subject.platform.redis.topology)
    if pods * PER_WORKER + janitor > limit:
        message = (
            f"{pods} pods hold {pods * PER_WORKER} connections and the janitor {janitor}, "
            f"and Redis takes {limit} ({subject.platform_line('redis.connections')})"
        )
        room = (limit - janitor) // PER_WORKER
        hint = (
            f"set `scaling.replicas.max` to at most `{room}`"
            if room > 0
            else "raise `redis.connections`; not one worker fits"
        )
        yield subject.problem("scaling.replicas.max", message, hint)
