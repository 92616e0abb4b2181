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
                f"{{value}} messages were rejected because the backlog is at its limit ({limit}).",
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
                f"{{value}} sends wait because the backlog is at its limit ({limit}).",
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
                f"{{value}} messages were dropped at the limit of {limit}, as the spec allows.",
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
