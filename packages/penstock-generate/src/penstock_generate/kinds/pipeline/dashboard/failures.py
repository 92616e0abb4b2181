"""The row on failures."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel
from penstock_generate.kinds.pipeline.dashboard.variant import PipelineQueries
from penstock_spec.kinds.pipeline.metrics import process, stream, working

TITLE = "Failures"


def panels(query: PipelineQueries) -> Iterator[Panel]:
    """On messages, workers and Redis."""
    yield from _of_messages(query)
    yield from _of_workers(query)
    yield from _of_redis(query)


def _of_messages(query: PipelineQueries) -> Iterator[Panel]:
    yield Panel(
        "Retries",
        "Failed attempts that will be retried, by class in `retries.classes`; `-` is no class.",
        "mps",
        (query.rates(working.RETRIED, "class"),),
    )
    yield query.alert_panel(
        "PenstockRetriesHigh",
        "Share of retries",
        "The share of deliveries that fail and are retried. Above the line more than half of the work is wasted.",
        "percentunit",
        "retried",
    )
    yield query.alert_panel(
        "PenstockTimeouts",
        "Timeouts",
        "Attempts that took longer than `work.timeout`, in 15 minutes.",
        "short",
        "timeouts",
    )
    yield query.alert_panel(
        "PenstockDeadLetters",
        "Dead letters",
        "Messages that became dead letters, in 15 minutes. The line is `alerts.dead_letters`.",
        "short",
        "dead",
    )
    yield query.alert_panel(
        "PenstockDeadLettersFull",
        "Not buried",
        "Messages that could not be buried because of `dead_letter.limit`, in 15 minutes. They are retried instead.",
        "short",
        "not buried",
    )
    yield Panel(
        "Dead letters by reason", "New dead letters per second.", "mps", (query.rates(working.DEAD, "reason"),), "areas"
    )
    yield Panel(
        "Stored dead letters",
        "Entries in the dead-letter stream. They leave it after `dead_letter.keep` or a replay.",
        "short",
        (query.gauge(stream.DEAD_LETTERS, "dead letters"),),
    )
    yield query.alert_panel(
        "PenstockMessagesLost",
        "Messages lost",
        "Unfinished messages that were deleted or trimmed by somebody, in 15 minutes. There should be none.",
        "short",
        "lost",
    )
    yield query.alert_panel(
        "PenstockGroupRecreated",
        "Group recreated",
        "How often the consumer group was missing and was recreated, in 15 minutes.",
        "short",
        "recreated",
    )


def _of_workers(query: PipelineQueries) -> Iterator[Panel]:
    yield query.alert_panel(
        "PenstockFencedSteps",
        "Fenced steps",
        "Results that came after the message was taken over, in 15 minutes. Redis ignored them.",
        "short",
        "fenced",
    )
    yield Panel(
        "Late steps by kind",
        "By the step that the worker tried: the message was taken over, or no longer pending.",
        "ops",
        (
            query.rates(working.FENCED, "step"),
            query.rates(working.GONE, "step").named("{{step}}, gone"),
        ),
    )
    yield query.alert_panel(
        "PenstockLeasesLost",
        "Leases lost",
        "Running workers that failed to renew their lease for `work.lease`, in 15 minutes.",
        "short",
        "lost",
    )
    yield query.alert_panel(
        "PenstockLeasesExpired",
        "Leases expired",
        "Workers that could not renew their lease for `work.lease`, in 15 minutes. Others may have taken over.",
        "short",
        "expired",
    )
    yield query.alert_panel(
        "PenstockHandlersAbandoned",
        "Abandoned handlers",
        "Handlers that run past their timeout because a thread cannot be stopped. Each holds a slot.",
        "short",
        "abandoned",
    )


def _of_redis(query: PipelineQueries) -> Iterator[Panel]:
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
    yield Panel(
        "Redis latency",
        "Time until the reply, without the waiting time of blocking reads.",
        "s",
        query.quantiles(process.REDIS_SECONDS),
    )
    yield Panel(
        "Redis connections",
        "Open connections, and new ones per second.",
        "short",
        (query.gauge(process.REDIS_CONNECTIONS, "open", "sum"), query.rate(process.REDIS_CONNECTS, "made")),
    )
