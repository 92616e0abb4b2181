"""Alerts on the processes of any kind."""

from __future__ import annotations

from penstock_generate.alerts.define import Alert, Series
from penstock_spec.metrics import Metric


def loop_lag(ours: Series, metric: Metric) -> Alert:
    """The event loop is blocked."""
    return Alert(
        "PenstockLoopLag",
        "warning",
        ours.gauge(metric),
        ">",
        1,
        5,
        "The event loop is blocked.",
        "It was {value} s late. An `async def` handler must not block; a plain function runs in a thread.",
        "s",
    )


def redis_errors(ours: Series, metric: Metric) -> Alert:
    """Redis does not answer, or refuses."""
    return Alert(
        "PenstockRedisErrors",
        "warning",
        ours.increase(metric, 5),
        ">",
        10,
        5,
        "Calls to Redis fail.",
        "{value} calls failed in 5 minutes.",
    )
