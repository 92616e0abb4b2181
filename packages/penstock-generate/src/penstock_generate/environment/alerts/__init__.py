"""Alerts on what all specs of an environment share: Redis, KEDA, the janitor.

Metrics of the Redis server come from `redis_exporter`, which is expected in the environment's namespace.
"""

from __future__ import annotations

from penstock_generate.alerts.define import Alert, OtherNamespaceSeries, Series
from penstock_generate.environment.alerts import janitor, keda, redis
from penstock_generate.inputs.plan import PlannedEnvironment

__all__ = ["alerts"]


def alerts(it: PlannedEnvironment) -> list[Alert]:
    """All alerts of an environment."""
    labels = {"namespace": it.around.namespace}
    here = Series(labels)
    return [
        *redis.of(it, here),
        *(keda.of(OtherNamespaceSeries(labels)) if any(one.scaled for one in it.members) else ()),
        *(janitor.of(here) if it.maintained else ()),
    ]
