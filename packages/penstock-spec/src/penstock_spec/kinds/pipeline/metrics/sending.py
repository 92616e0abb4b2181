"""Metrics of producers."""

from __future__ import annotations

from penstock_spec.kinds.pipeline.metrics.define import PRODUCER, QUICK, counter, gauge, histogram
from penstock_spec.metrics import Label, Topic, meaning

SENT = counter(
    "sent",
    "Sends of messages, by outcome.",
    PRODUCER,
    Label(
        "outcome",
        "result of the send",
        meaning(
            new="added to the stream",
            delayed="waits for its due time",
            duplicate="sent before within the deduplication window",
            rejected="the backlog was full",
            invalid="too large, or does not match the schema",
            refused="Redis answered with an error",
            absent="not sent, because there was no connection",
            withheld="not attempted, because the circuit breaker was open or it waited too long for its turn",
            unknown="no answer, so it may have been sent",
        ),
    ),
)
SEND_SECONDS = histogram(
    "send", "Duration of a send, including retries and waits for room in the backlog.", PRODUCER, QUICK
)
SEND_RETRIES = counter("send_retries", "Retries of sends.", PRODUCER)
SEND_WAITING = gauge("send_waiting", "Sends that are waiting for room in the backlog.", PRODUCER)
DROPPED = counter("dropped", "Unread messages that were dropped for newer ones (`drop-oldest`).", PRODUCER)
BREAKER_OPEN = gauge("breaker_open", "1 while the circuit breaker is open, so that sends fail immediately.", PRODUCER)
BREAKER_OPENED = counter("breaker_opened", "How often the circuit breaker has opened.", PRODUCER)

TOPIC = Topic(
    "Sending",
    "Producers, in the processes that send.",
    (SENT, SEND_SECONDS, SEND_RETRIES, SEND_WAITING, DROPPED, BREAKER_OPEN, BREAKER_OPENED),
)
