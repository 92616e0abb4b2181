"""Alerts on results of runs that go back to Redis."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, Alert, Series
from penstock_spec.kinds.scheduler.metrics import process, settling, state
from penstock_spec.kinds.scheduler.spec import Scheduler

OPEN = 2
"""The value of `breaker_state` for an open breaker."""


def of(spec: Scheduler, ours: Series) -> Iterator[Alert]:
    """The alerts of a spec."""
    breakers = spec.breakers
    if breakers.enabled:
        yield Alert(
            "PenstockSchedulerBreakerOpen",
            "critical",
            ours.gauge(settling.BREAKER_STATE),
            ">=",
            OPEN,
            1,
            "A circuit breaker towards Redis is open.",
            f"It opened after {breakers.failures} failures within {breakers.within} (`breakers`).",
        )
        yield Alert(
            "PenstockRedisStall",
            "warning",
            ours.gauge(state.WATCHDOG, signal="redis_stall"),
            ">=",
            1,
            5,
            "A circuit breaker does not close.",
            "For minutes, a pod has had a breaker that is not closed, or no reply from Redis.",
        )
    yield Alert(
        "PenstockScriptErrors",
        "critical",
        ours.increase(process.SCRIPT_ERRORS, QUARTER),
        ">=",
        1,
        0,
        "Scripts fail in Redis.",
        "Scripts that failed in 15 minutes, and changed nothing: {value}.",
    )
    yield Alert(
        "PenstockScheduleRetriesExhausted",
        "warning",
        ours.increase(settling.RETRIES_EXHAUSTED, QUARTER),
        ">=",
        1,
        0,
        "Redis did not accept the next due time of jobs.",
        f"{{value}} failed {spec.recovery.attempts} times (`recovery.attempts`) and wait for the next refresh.",
    )
    yield Alert(
        "PenstockRunsFenced",
        "warning",
        ours.increase(settling.FENCED, QUARTER),
        ">",
        10,
        0,
        "Pods finish jobs that were given to another pod.",
        "Runs that ended too late: {value}. Their deadlines are too short, or a pod was blocked.",
    )
