"""The row on sends, from the metrics that senders export."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel
from penstock_generate.kinds.pipeline.dashboard.variant import PipelineQueries
from penstock_spec.kinds.pipeline.metrics import sending

TITLE = "Sending"

FULL = {
    "PenstockSendsRejected": (
        "Rejected sends",
        "Messages that were rejected because the backlog was at its limit, in 5 minutes.",
    ),
    "PenstockSendsWait": (
        "Waiting sends",
        "Sends that wait for room in the backlog.",
    ),
    "PenstockMessagesDropped": (
        "Dropped messages",
        "Unread messages that were dropped for newer ones, in 15 minutes.",
    ),
}
"""Panels on a full backlog by alert; a spec has one of these alerts."""


def panels(query: PipelineQueries) -> Iterator[Panel]:
    yield Panel(
        "Sent",
        "Sends by outcome. Unknown: no reply came, so the message may be in the stream.",
        "mps",
        (query.rates(sending.SENT, "outcome"),),
        "areas",
    )
    for alert, (title, description) in FULL.items():
        if query.has(alert):
            yield query.alert_panel(alert, title, description, "short", title.lower())
    yield Panel(
        "Sends without a reply",
        "No reply came. With a deduplication key the send is retried; without one the sender gets `unknown`.",
        "mps",
        (query.rate(sending.SENT, "unknown", outcome="unknown"),),
    )
    yield Panel(
        "Duration of a send",
        "Including retries and the wait for room.",
        "s",
        query.quantiles(sending.SEND_SECONDS),
    )
    yield Panel(
        "Retries of sends",
        "Retries of sends per second.",
        "ops",
        (query.rate(sending.SEND_RETRIES, "retries"),),
    )
    yield Panel(
        "Circuit breaker",
        "1 while a sender's breaker is open and its sends fail immediately; and openings per second.",
        "short",
        (query.alert_query("PenstockBreakerOpen", "open"), query.rate(sending.BREAKER_OPENED, "opened")),
        steps=query.steps("PenstockBreakerOpen"),
    )
