"""Alerts on sends."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, Alert, Series
from penstock_spec.kinds.pipeline.metrics import sending
from penstock_spec.kinds.pipeline.spec import Pipeline


def of(spec: Pipeline, ours: Series) -> Iterator[Alert]:
    """The alerts of a spec."""
    limit = spec.stream.backlog.limit
    match spec.stream.backlog.when_full:
        case "reject":
            yield Alert(
                "PenstockSendsRejected",
                "critical",
                ours.increase(sending.SENT, 5, outcome="rejected"),
                ">=",
                1,
                0,
                "Sends are rejected.",
                f"Messages rejected because the backlog is at its limit ({limit}): {{value}}.",
            )
        case "wait":
            yield Alert(
                "PenstockSendsWait",
                "warning",
                ours.gauge(sending.SEND_WAITING, "sum"),
                ">",
                0,
                5,
                "Sends wait for room in the backlog.",
                f"Sends that wait because the backlog is at its limit ({limit}): {{value}}.",
            )
        case "drop-oldest":
            yield Alert(
                "PenstockMessagesDropped",
                "warning",
                ours.increase(sending.DROPPED, QUARTER),
                ">=",
                1,
                0,
                "Unread messages are dropped.",
                f"Messages dropped at the limit of {limit}, as the spec allows: {{value}}.",
            )
    yield Alert(
        "PenstockBreakerOpen",
        "critical",
        ours.gauge(sending.BREAKER_OPEN),
        ">=",
        1,
        1,
        "A sender's circuit breaker is open.",
        "Its sends fail immediately, because Redis failed too often.",
    )
