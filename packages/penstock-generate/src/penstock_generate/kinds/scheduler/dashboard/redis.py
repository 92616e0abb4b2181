"""The row on Redis: handing jobs back, circuit breakers, scripts and calls."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel
from penstock_generate.kinds.scheduler.dashboard.variant import SchedulerQueries
from penstock_spec.kinds.scheduler.metrics import process, settling

TITLE = "Redis"


def panels(query: SchedulerQueries) -> Iterator[Panel]:
    yield from _ended(query)
    if query.has("PenstockSchedulerBreakerOpen"):
        yield from _breakers(query)
    yield from _calls(query)


def _ended(query: SchedulerQueries) -> Iterator[Panel]:
    yield Panel(
        "Time to hand back",
        "From the end of a run until Redis accepted the next due time.",
        "s",
        query.quantiles(settling.SETTLE_SECONDS),
    )
    yield Panel(
        "Due times not accepted by Redis", "Kept by pods and retried.", "short",
        (query.gauge(settling.RECOVERING, "held", "sum"),),
    )  # fmt: skip
    yield Panel("Retries of handing back", "By success.", "ops", (query.rates(settling.RECOVERIES, "success"),))
    yield query.alert_panel(
        "PenstockScheduleRetriesExhausted",
        "Due times given up",
        "Due times that Redis did not accept in all retries, in 15 minutes. A refresh registers these jobs again.",
        "short",
        "given up",
    )
    yield query.alert_panel(
        "PenstockRunsFenced",
        "Fenced steps",
        "Results that came after the job was given to another pod, in 15 minutes. Redis ignored them.",
        "short",
        "fenced",
    )
    yield Panel(
        "Late steps by kind",
        "By the step that the pod tried: the job was given to another pod, or is in no set any more.",
        "ops",
        (query.rates(settling.FENCED, "step"), query.rates(settling.GONE, "step").named("{{step}}, gone")),
    )


def _breakers(query: SchedulerQueries) -> Iterator[Panel]:
    yield query.alert_panel(
        "PenstockSchedulerBreakerOpen",
        "Circuit breakers",
        "0: closed, 1: half-open, 2: open. The highest value of both breakers in all pods.",
        "short",
        "state",
    )
    yield Panel("Circuit breakers by name", "The breaker for taking jobs, and the one for handing them back.", "short",
        (query.by(settling.BREAKER_STATE, "breaker"),),
    )  # fmt: skip
    yield Panel(
        "Circuit breaker activity",
        "How often breakers open and close, and calls that they blocked.",
        "ops",
        (
            query.rate(settling.BREAKER_TRIPS, "opened"),
            query.rate(settling.BREAKER_RECOVERIES, "closed"),
            query.rate(settling.BREAKER_BLOCKED, "blocked calls"),
        ),
    )
    yield query.alert_panel(
        "PenstockRedisStall",
        "Breaker stays open",
        "1 while a pod has a breaker that is not closed, or gets no reply from Redis.",
        "short",
        "not closed",
    )


def _calls(query: SchedulerQueries) -> Iterator[Panel]:
    yield query.alert_panel(
        "PenstockScriptErrors",
        "Script errors",
        "Scripts that failed in 15 minutes.",
        "short",
        "errors",
    )
    yield Panel("Script errors by script", "Per second.", "ops", (query.rates(process.SCRIPT_ERRORS, "script"),))
    yield Panel(
        "Scripts sent in full",
        "Calls with the full script text, because Redis does not keep it. Each costs more.",
        "ops",
        (query.rates(process.SCRIPTS_SENT_WHOLE, "script"),),
    )
    yield query.alert_panel(
        "PenstockRedisErrors",
        "Redis errors",
        "Failed calls to Redis in 5 minutes.",
        "short",
        "failed",
    )
    yield Panel(
        "Redis errors by kind",
        "Absent: no connection. Unanswered: no reply, so it may have happened. Refused: Redis returned an error.",
        "ops",
        (query.rates(process.REDIS_ERRORS, "kind"),),
    )
    yield Panel("Redis latency", "Time until the reply.", "s", query.quantiles(process.REDIS_SECONDS))
    yield Panel(
        "Redis connections",
        "Open connections, and new ones per second.",
        "short",
        (query.gauge(process.REDIS_CONNECTIONS, "open", "sum"), query.rate(process.REDIS_CONNECTS, "made")),
    )
