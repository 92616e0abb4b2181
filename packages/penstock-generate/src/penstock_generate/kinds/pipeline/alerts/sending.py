"""What senders meet."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, Alert, Series
from penstock_spec.kinds.pipeline.metrics import sending
from penstock_spec.kinds.pipeline.spec import Pipeline


def of(spec: Pipeline, ours: Series) -> Iterator[Alert]:
    """What senders meet."""
    limit = spec.stream.backlog.limit
    match spec.stream.backlog.when_full:
        case "reject":
            yield Alert(
                "PenstockSendsRejected",
                "critical",
                ours.grown(sending.SENT, 5, outcome="rejected"),
                ">=",
                1,
                0,
                "Senders are turned away.",
                f"{{value}} messages met a backlog at its limit ({limit}).",
            )
        case "wait":
            yield Alert(
                "PenstockSendsWait",
                "warning",
                ours.gauge(sending.SEND_WAITING, "sum"),
                ">",
                0,
                5,
                "Senders are held back.",
                f"{{value}} sends wait for room below {limit} messages.",
            )
        case "drop-oldest":
            yield Alert(
                "PenstockMessagesDropped",
                "warning",
                ours.grown(sending.DROPPED, QUARTER),
                ">=",
                1,
                0,
                "Unread messages are dropped.",
                f"{{value}} were pushed out at {limit}, as the spec allows.",
            )
    yield Alert(
        "PenstockBreakerOpen",
        "critical",
        ours.gauge(sending.BREAKER_OPEN),
        ">=",
        1,
        1,
        "Sends fail at once.",
        "A producer's circuit breaker is open, as Redis failed too often.",
    )
