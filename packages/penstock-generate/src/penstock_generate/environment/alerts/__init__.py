"""Alerts on what all pipelines of an environment stand on: Redis, KEDA, the janitor.

What others tell of Redis is `redis_exporter`'s, which is taken to run in the environment's namespace.
"""

from __future__ import annotations

from penstock_generate.alerts.define import Alert, Series
from penstock_generate.environment.alerts import janitor, keda, redis
from penstock_generate.plan import Whole

__all__ = ["alerts"]


def alerts(it: Whole) -> list[Alert]:
    """All of them."""
    here = Series({"namespace": it.around.namespace})
    return [*redis.of(it, here), *keda.of(here), *janitor.of(here)]
