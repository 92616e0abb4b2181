"""Alerts that are about processes, whatever these do."""

from __future__ import annotations

from penstock_generate.alerts.define import Alert, Series
from penstock_spec.metrics import Metric


def loop_lag(ours: Series, metric: Metric) -> Alert:
    """Something holds up the event loop."""
    return Alert(
        "PenstockLoopLag",
        "warning",
        ours.gauge(metric),
        ">",
        1,
        5,
        "Handlers hold up the event loop.",
        "It was {value} s late. A plain function runs in a thread; `async def` must not block.",
        "s",
    )


def redis_errors(ours: Series, metric: Metric) -> Alert:
    """Redis does not answer, or says no."""
    return Alert(
        "PenstockRedisErrors",
        "warning",
        ours.grown(metric, 5),
        ">",
        10,
        5,
        "Calls to Redis fail.",
        "{value} failed in 5 minutes.",
    )
