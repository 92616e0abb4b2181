"""How messages are sent, run, retried and buried."""

from __future__ import annotations

from typing import Annotated, Literal

from penstock_spec.failures.classes import FailureMatch
from penstock_spec.model import Number, Section, about
from penstock_spec.values.bounds import MIN_1BYTE, MIN_1MS, MIN_16MI
from penstock_spec.values.quantities import Duration, Size
from penstock_spec.values.strings import Key, Name


class SendBackoff(Section):
    """Waits between the attempts of one send."""

    first: Annotated[Duration, about("The wait before the second attempt.", "500ms")] = Duration("500ms")
    factor: Annotated[Number, about("Each wait is this many times the previous one.", 2, ge=1, le=100)] = 2


class SendBreaker(Section):
    """The circuit breaker of producers: after repeated failures of Redis, sends fail at once for a while."""

    cooldown: Annotated[
        Duration,
        about(
            "The longest time until one send tries Redis again. The first time is 1 second; each failed try "
            "doubles it.",
            "30s",
        ),
        MIN_1MS,
    ] = Duration("30s")


class Send(Section):
    """How producers retry a send. A send that Redis may have received is retried only with a deduplication key."""

    attempts: Annotated[
        int, about("The maximum number of attempts of one send, including the first.", 3, ge=1, le=100)
    ] = 3
    backoff: Annotated[SendBackoff, about("Waits between attempts.", {"first": "500ms", "factor": 2})] = SendBackoff()
    breaker: Annotated[SendBreaker, about("The circuit breaker.", {"cooldown": "30s"})] = SendBreaker()


class PipelineWork(Section):
    """How a worker runs messages."""

    concurrency: Annotated[
        int, about("The number of messages that one worker runs at a time.", 16, ge=1, le=10_000)
    ] = 16
    block: Annotated[Duration, about("How long a read waits for new messages.", "5s"), MIN_1MS] = Duration("5s")
    timeout: Annotated[Duration, about("How long one attempt may take.", "60s"), MIN_1MS] = Duration("60s")
    on_timeout: Annotated[
        Literal["retry", "finish"],
        about(
            "Whether a timeout is a failed attempt (`retry`), or finishes the message as if it were done (`finish`).",
            "retry",
        ),
    ] = "retry"
    lease: Annotated[
        Duration,
        about(
            "How long a worker counts as alive after it last renewed its lease. After that, other "
            "workers take over its messages.",
            "30s",
        ),
        MIN_1MS,
    ] = Duration("30s")
    when_lost: Annotated[
        Literal["cancel", "continue"],
        about(
            "What happens to running handlers when the worker could not renew its lease for so long that others "
            "may run their messages: `cancel` stops them; `continue` lets them end. `context.lost` is true in "
            "both cases.",
            "cancel",
        ),
    ] = "cancel"
    max_pending_per_worker: Annotated[
        int | None,
        about(
            "The number of running and parked messages of one worker above which it reads no new ones. Without it, "
            "parked messages count for the pipeline (`stream.backlog.limit`) and for no worker.",
            256,
            ge=1,
            le=100_000,
        ),
    ] = None
    isolation: Annotated[
        Literal["none", "process"],
        about(
            "`process` runs each handler in a child process, so that a crash or a blocked interpreter "
            "lock affects one message only.",
            "none",
        ),
    ] = "none"
    memory_limit: Annotated[
        Size | None,
        about(
            "The maximum memory of a message in a child process, in addition to what the process needs "
            "to start. Requires `isolation: process`.",
            "512Mi",
        ),
        MIN_16MI,
    ] = None


class PipelineBackoff(Section):
    """Waits between the attempts of one message."""

    first: Annotated[Duration, about("The wait after the first failure.", "1s")] = Duration("1s")
    factor: Annotated[Number, about("Each wait is this many times the previous one.", 2, ge=1, le=100)] = 2
    limit: Annotated[Duration, about("The longest wait.", "5m")] = Duration("5m")
    jitter: Annotated[
        Number, about("The maximum random change of each wait, as a fraction of it.", 0.1, ge=0, le=1)
    ] = 0.1


class ClassBackoff(Section):
    """Waits for one failure class. Missing fields are taken from `retries.backoff`."""

    first: Annotated[Duration | None, about("The wait after the first failure.", "30m")] = None
    factor: Annotated[Number | None, about("Each wait is this many times the previous one.", 1, ge=1, le=100)] = None
    limit: Annotated[Duration | None, about("The longest wait.", "1h")] = None
    jitter: Annotated[
        Number | None, about("The maximum random change of each wait, as a fraction of it.", 0.1, ge=0, le=1)
    ] = None


class RetryClass(FailureMatch):
    """A failure class: failures that are retried alike."""

    attempts: Annotated[
        int | None, about("The maximum number of attempts for this class; 1 means no retry.", 1, ge=1, le=1000)
    ] = None
    backoff: Annotated[ClassBackoff | None, about("Waits for this class.", {"first": "30m", "factor": 1})] = None


class Retries(Section):
    """How often and when a failed message is retried."""

    attempts: Annotated[
        int,
        about(
            "The maximum number of attempts, including the first and those that ended with a lost worker.",
            5,
            ge=1,
            le=1000,
        ),
    ] = 5
    backoff: Annotated[
        PipelineBackoff, about("Waits between attempts.", {"first": "1s", "factor": 2, "limit": "5m"})
    ] = PipelineBackoff()
    classes: Annotated[
        dict[Name, RetryClass],
        about(
            "Failures that are retried differently, by name. The first class that matches applies.",
            {"never": {"match": ["ValueError"], "attempts": 1}},
        ),
    ] = {}


class DeadLetterLimit(Section):
    """How many dead letters fit. At the limit, a message is not buried but retried, and an alert fires."""

    length: Annotated[int | None, about("The maximum number of dead letters; null does not count.", 100_000, ge=1)] = (
        None
    )
    bytes: Annotated[
        Size | None,
        about(
            "The maximum memory of the dead letters in Redis, estimated from the oldest ones; null does not measure.",
            "256Mi",
        ),
        MIN_1BYTE,
    ] = None


class DeadLetter(Section):
    """Where messages go after their last attempt, with the reason."""

    key: Annotated[
        Key,
        about(
            "The key of the dead letter stream.",
            "streams:media.cluster.deadletter",
            derived="{<stream.key>}:<stream.group>:dead",
        ),
    ] = ""
    keep: Annotated[Duration, about("How long a dead letter is kept.", "14d"), MIN_1MS] = Duration("14d")
    limit: Annotated[
        DeadLetterLimit,
        about("How many dead letters fit; by default only `keep` limits them.", {"length": 100_000, "bytes": "256Mi"}),
    ] = DeadLetterLimit()
