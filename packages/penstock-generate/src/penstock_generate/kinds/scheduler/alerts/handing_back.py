"""What is handed back to Redis, and what stands in the way."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, Alert, Series
from penstock_spec.kinds.scheduler.metrics import process, settling, state
from penstock_spec.kinds.scheduler.spec import Scheduler

OPEN = 2
"""As `breaker_state` tells it."""


def of(spec: Scheduler, ours: Series) -> Iterator[Alert]:
    """What is handed back to Redis, and what stands in the way."""
    breakers = spec.breakers
    if breakers.enabled:
        yield Alert(
            "PenstockSchedulerBreakerOpen",
            "critical",
            ours.gauge(settling.BREAKER_STATE),
            ">=",
            OPEN,
            1,
            "A scheduler has stopped asking Redis.",
            f"A circuit breaker is open, after {breakers.failures} failures within {breakers.within} (`breakers`).",
        )
        yield Alert(
            "PenstockRedisStall",
            "warning",
            ours.gauge(state.WATCHDOG, signal="redis_stall"),
            ">=",
            1,
            5,
            "A circuit breaker does not close.",
            "For minutes a pod has had one that is not closed, or no answer of Redis.",
        )
    yield Alert(
        "PenstockScriptErrors",
        "critical",
        ours.grown(process.SCRIPT_ERRORS, QUARTER),
        ">=",
        1,
        0,
        "Scripts fail in Redis.",
        "{value} ended in an error in a quarter of an hour; each moved nothing.",
    )
    yield Alert(
        "PenstockScheduleRetriesExhausted",
        "warning",
        ours.grown(settling.RETRIES_EXHAUSTED, QUARTER),
        ">=",
        1,
        0,
        "Redis did not take when jobs run next.",
        f"{{value}} were tried {spec.recovery.attempts} times (`recovery.attempts`) and are left to the next refresh.",
    )
    yield Alert(
        "PenstockRunsFenced",
        "warning",
        ours.grown(settling.FENCED, QUARTER),
        ">",
        10,
        0,
        "Pods finish what is another's by now.",
        "{value} runs ended after somebody else had been given the job: deadlines are too short, or a pod stood still.",
    )
