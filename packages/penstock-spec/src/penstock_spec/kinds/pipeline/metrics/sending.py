"""What a producer did."""

from __future__ import annotations

from penstock_spec.kinds.pipeline.metrics.define import PRODUCER, QUICK, counter, gauge, histogram
from penstock_spec.metrics import Label, Topic, meaning

SENT = counter(
    "sent",
    "Messages that were to be sent, by what became of them.",
    PRODUCER,
    Label(
        "outcome",
        "what became of it",
        meaning(
            new="it is in the stream",
            delayed="it waits for its due time",
            duplicate="it was sent before, within the deduplication window",
            rejected="the backlog was at its limit",
            invalid="it was larger, or other, than the spec allows",
            refused="Redis refused it",
            absent="there was no connection, so it was not sent",
            withheld="it was not tried: Redis failed too often, or its turn did not come in time",
            unknown="no answer came, so it may have been sent",
        ),
    ),
)
SEND_SECONDS = histogram("send", "How long one send took, retries and waits for room included.", PRODUCER, QUICK)
SEND_RETRIES = counter("send_retries", "Attempts to send after the first.", PRODUCER)
SEND_WAITING = gauge("send_waiting", "Sends that wait for room in the backlog.", PRODUCER)
DROPPED = counter("dropped", "Messages that nobody had read and that newer ones pushed out (`drop-oldest`).", PRODUCER)
BREAKER_OPEN = gauge("breaker_open", "1 while sends fail at once, as Redis failed too often.", PRODUCER)
BREAKER_OPENED = counter("breaker_opened", "How often the circuit breaker opened.", PRODUCER)

TOPIC = Topic(
    "Sending",
    "What producers did, in the processes that send.",
    (SENT, SEND_SECONDS, SEND_RETRIES, SEND_WAITING, DROPPED, BREAKER_OPEN, BREAKER_OPENED),
)
