"""What senders meet; it is told by the processes that send, where they show their metrics."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel
from penstock_generate.kinds.pipeline.dashboard.define import Shown
from penstock_spec.kinds.pipeline.metrics import sending

TITLE = "Sending"

FULL = {
    "PenstockSendsRejected": (
        "Sends turned away",
        "Messages in 5 minutes that met a backlog at its limit.",
    ),
    "PenstockSendsWait": (
        "Sends held back",
        "Sends that wait for room in the backlog.",
    ),
    "PenstockMessagesDropped": (
        "Messages dropped",
        "Messages in a quarter of an hour that nobody had read and that newer ones pushed out.",
    ),
}
"""What a full backlog does, by the alert about it; a spec chooses one."""


def panels(on: Shown) -> Iterator[Panel]:
    """How much is sent, what becomes of it, and how senders insist."""
    yield Panel(
        "Sent",
        "Messages that were to be sent, by what became of them. Unknown: no answer came, so it may be in the stream.",
        "mps",
        (on.rates(sending.SENT, "outcome"),),
        "areas",
    )
    for alert, (title, description) in FULL.items():
        if on.has(alert):
            yield Panel(title, description, "short", (on.asks(alert, title.lower()),), steps=on.steps(alert))
    yield Panel(
        "Sends of which nobody knows",
        "No answer came; with a deduplication key they are repeated, and else the sender is told.",
        "mps",
        (on.rate(sending.SENT, "unknown", outcome="unknown"),),
    )
    yield Panel(
        "Time of a send",
        "With its retries and its wait for room.",
        "s",
        on.quantiles(sending.SEND_SECONDS),
    )
    yield Panel(
        "Attempts after the first",
        "How often senders try again, by the second.",
        "ops",
        (on.rate(sending.SEND_RETRIES, "retries"),),
    )
    yield Panel(
        "Circuit breaker",
        "1 while sends of a process fail at once, as Redis failed too often; and how often one opens, by the second.",
        "short",
        (on.asks("PenstockBreakerOpen", "open"), on.rate(sending.BREAKER_OPENED, "opened")),
        steps=on.steps("PenstockBreakerOpen"),
    )
