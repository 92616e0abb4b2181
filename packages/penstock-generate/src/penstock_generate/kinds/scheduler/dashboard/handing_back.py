"""What is handed back to Redis, and what stands in the way."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel
from penstock_generate.kinds.scheduler.dashboard.define import Shown
from penstock_spec.kinds.scheduler.metrics import process, settling

TITLE = "Redis"


def panels(on: Shown) -> Iterator[Panel]:
    """Of what ended, of breakers, of scripts and calls."""
    yield from _ended(on)
    if on.has("PenstockSchedulerBreakerOpen"):
        yield from _breakers(on)
    yield from _calls(on)


def _ended(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Time to hand back",
        "From the end of a run until Redis knew when the next is due.",
        "s",
        on.quantiles(settling.SETTLE_SECONDS),
    )
    yield Panel(
        "Next runs that Redis has not taken", "Held by pods, and tried again.", "short",
        (on.gauge(settling.RECOVERING, "held", "sum"),),
    )  # fmt: skip
    yield Panel("Tries to hand back", "Whether they went well.", "ops", (on.rates(settling.RECOVERIES, "success"),))
    yield Panel(
        "Given up",
        "Next runs in a quarter of an hour that Redis did not take in all tries; a refresh registers the jobs again.",
        "short",
        (on.asks("PenstockScheduleRetriesExhausted", "given up"),),
        steps=on.steps("PenstockScheduleRetriesExhausted"),
    )
    yield Panel(
        "Fenced steps",
        "Steps in a quarter of an hour that came after the job had become another pod's. They changed nothing.",
        "short",
        (on.asks("PenstockRunsFenced", "fenced"),),
        steps=on.steps("PenstockRunsFenced"),
    )
    yield Panel(
        "Steps that came too late",
        "By what the pod wanted: the run was another's, or the job in no set any more.",
        "ops",
        (on.rates(settling.FENCED, "step"), on.rates(settling.GONE, "step").named("{{step}}, gone")),
    )


def _breakers(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Circuit breakers",
        "0 while closed, 1 while half open, 2 while open: the worse of the two, over all pods.",
        "short",
        (on.asks("PenstockSchedulerBreakerOpen", "state"),),
        steps=on.steps("PenstockSchedulerBreakerOpen"),
    )
    yield Panel("Which breaker", "That of taking, or that of handing back.", "short",
        (on.by(settling.BREAKER_STATE, "breaker"),),
    )  # fmt: skip
    yield Panel(
        "What breakers do",
        "How often they open, how often they close again, and calls that were not made.",
        "ops",
        (
            on.rate(settling.BREAKER_TRIPS, "opened"),
            on.rate(settling.BREAKER_RECOVERIES, "closed"),
            on.rate(settling.BREAKER_BLOCKED, "calls not made"),
        ),
    )
    yield Panel(
        "Breaker that does not close",
        "1 while a pod sees one that is not closed, or Redis does not answer it.",
        "short",
        (on.asks("PenstockRedisStall", "not closed"),),
        steps=on.steps("PenstockRedisStall"),
    )


def _calls(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Script errors",
        "Scripts in a quarter of an hour that ended in an error.",
        "short",
        (on.asks("PenstockScriptErrors", "errors"),),
        steps=on.steps("PenstockScriptErrors"),
    )
    yield Panel("Which script", "By the second.", "ops", (on.rates(process.SCRIPT_ERRORS, "script"),))
    yield Panel(
        "Scripts sent whole",
        "Redis had forgotten them and did not keep them: each call costs more.",
        "ops",
        (on.rates(process.SCRIPTS_SENT_WHOLE, "script"),),
    )
    yield Panel(
        "Redis errors",
        "Calls to Redis that failed in 5 minutes.",
        "short",
        (on.asks("PenstockRedisErrors", "failed"),),
        steps=on.steps("PenstockRedisErrors"),
    )
    yield Panel(
        "How calls fail",
        "Absent: no connection. Unanswered: it may have happened. Refused: Redis said no.",
        "ops",
        (on.rates(process.REDIS_ERRORS, "kind"),),
    )
    yield Panel("Redis answers", "How long Redis took.", "s", on.quantiles(process.REDIS_SECONDS))
    yield Panel(
        "Redis connections",
        "Those that are open, and how many are made by the second.",
        "short",
        (on.gauge(process.REDIS_CONNECTIONS, "open", "sum"), on.rate(process.REDIS_CONNECTS, "made")),
    )
