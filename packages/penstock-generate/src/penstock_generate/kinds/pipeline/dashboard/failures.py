"""What goes wrong."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel
from penstock_generate.kinds.pipeline.dashboard.define import Shown
from penstock_spec.kinds.pipeline.metrics import process, stream, working

TITLE = "Failures"


def panels(on: Shown) -> Iterator[Panel]:
    """Of messages, of workers, and of Redis."""
    yield from _of_messages(on)
    yield from _of_workers(on)
    yield from _of_redis(on)


def _of_messages(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Retries",
        "Attempts that failed and will be tried again, by the class of `retries.classes`; `-` is none of them.",
        "mps",
        (on.rates(working.RETRIED, "class"),),
    )
    yield Panel(
        "Share of retries",
        "Of all deliveries. Beyond the line half of the work is for nothing.",
        "percentunit",
        (on.asks("PenstockRetriesHigh", "retried"),),
        steps=on.steps("PenstockRetriesHigh"),
    )
    yield Panel(
        "Timeouts",
        "Attempts in a quarter of an hour that took longer than `work.timeout`.",
        "short",
        (on.asks("PenstockTimeouts", "timeouts"),),
        steps=on.steps("PenstockTimeouts"),
    )
    yield Panel(
        "Dead letters",
        "Messages in a quarter of an hour that became dead letters. The line is `alerts.dead_letters`.",
        "short",
        (on.asks("PenstockDeadLetters", "dead"),),
        steps=on.steps("PenstockDeadLetters"),
    )
    yield Panel("Why they died", "Dead letters by the second.", "mps", (on.rates(working.DEAD, "reason"),), "areas")
    yield Panel(
        "Dead letters that are kept",
        "Entries in the dead-letter stream, until `dead_letter.keep` is over or somebody replays them.",
        "short",
        (on.gauge(stream.DEAD_LETTERS, "dead letters"),),
    )
    yield Panel(
        "Messages lost",
        "Unfinished messages that somebody deleted or trimmed, in a quarter of an hour. There should be none.",
        "short",
        (on.asks("PenstockMessagesLost", "lost"),),
        steps=on.steps("PenstockMessagesLost"),
    )
    yield Panel(
        "Group made again",
        "How often in a quarter of an hour the consumer group was gone.",
        "short",
        (on.asks("PenstockGroupRecreated", "made again"),),
        steps=on.steps("PenstockGroupRecreated"),
    )


def _of_workers(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Fenced steps",
        "Steps in a quarter of an hour that came after the message had become another worker's. They changed nothing.",
        "short",
        (on.asks("PenstockFencedSteps", "fenced"),),
        steps=on.steps("PenstockFencedSteps"),
    )
    yield Panel(
        "Steps that came too late",
        "By what the worker wanted: the message was another's, or not pending any more.",
        "ops",
        (
            on.rates(working.FENCED, "step"),
            on.rates(working.GONE, "step").named("{{step}}, gone"),
        ),
    )
    yield Panel(
        "Leases lost",
        "Workers in a quarter of an hour that said nothing for `work.lease` and lived on.",
        "short",
        (on.asks("PenstockLeasesLost", "lost"),),
        steps=on.steps("PenstockLeasesLost"),
    )
    yield Panel(
        "Abandoned handlers",
        "Handlers that run on after their time, as a thread cannot be stopped; each holds a slot.",
        "short",
        (on.asks("PenstockHandlersAbandoned", "abandoned"),),
        steps=on.steps("PenstockHandlersAbandoned"),
    )


def _of_redis(on: Shown) -> Iterator[Panel]:
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
    yield Panel(
        "Redis answers",
        "How long Redis took, without the wait of blocking reads.",
        "s",
        on.quantiles(process.REDIS_SECONDS),
    )
    yield Panel(
        "Redis connections",
        "Those that are open, and how many are made by the second.",
        "short",
        (on.gauge(process.REDIS_CONNECTIONS, "open", "sum"), on.rate(process.REDIS_CONNECTS, "made")),
    )
