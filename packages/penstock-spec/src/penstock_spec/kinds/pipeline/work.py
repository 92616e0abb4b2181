"""How messages are sent, worked on, retried and buried."""

from __future__ import annotations

from typing import Annotated, Literal

from penstock_spec.failures.classes import FailureMatch
from penstock_spec.model import Number, Section, about
from penstock_spec.values.bounds import ROOM_FOR_PYTHON, SOME_TIME
from penstock_spec.values.quantities import Duration, Size
from penstock_spec.values.strings import Key, Name


class SendBackoff(Section):
    """Waits between the attempts of one send."""

    first: Annotated[Duration, about("The wait before the second attempt.", "500ms")] = Duration("500ms")
    factor: Annotated[Number, about("Each wait is this many times the one before.", 2, ge=1, le=100)] = 2


class Send(Section):
    """How a producer insists. What Redis may have taken is repeated only with a deduplication key."""

    attempts: Annotated[int, about("Attempts of one send, the first included.", 3, ge=1, le=100)] = 3
    backoff: Annotated[SendBackoff, about("Waits between attempts.", {"first": "500ms", "factor": 2})] = SendBackoff()


class PipelineWork(Section):
    """How a worker runs messages."""

    concurrency: Annotated[int, about("Messages that one worker runs at a time.", 16, ge=1, le=10_000)] = 16
    block: Annotated[
        Duration, about("How long one read waits for new messages; to Redis 0 would be for ever.", "5s"), SOME_TIME
    ] = Duration("5s")
    timeout: Annotated[Duration, about("How long one attempt may take.", "60s"), SOME_TIME] = Duration("60s")
    on_timeout: Annotated[
        Literal["retry", "finish"],
        about(
            "A timeout is a failed attempt (`retry`), or the end of the message as if it were done (`finish`).", "retry"
        ),
    ] = "retry"
    lease: Annotated[
        Duration,
        about("A worker that says nothing for this long is taken for lost, and its messages are taken over.", "30s"),
        SOME_TIME,
    ] = Duration("30s")
    max_pending_per_worker: Annotated[
        int, about("Running and parked messages of one worker above which it reads nothing new.", 256, ge=1, le=100_000)
    ] = 256
    isolation: Annotated[
        Literal["none", "process"],
        about(
            "`process` runs handlers in child processes: a crash or a held interpreter lock takes one message.", "none"
        ),
    ] = "none"
    memory_limit: Annotated[
        Size | None,
        about(
            "The most memory that a message may take in a child process, on top of what the process starts with; needs "
            "`isolation: process`.",
            "512Mi",
        ),
        ROOM_FOR_PYTHON,
    ] = None


class PipelineBackoff(Section):
    """Waits between the attempts of one message."""

    first: Annotated[Duration, about("The wait after the first failure.", "1s")] = Duration("1s")
    factor: Annotated[Number, about("Each wait is this many times the one before.", 2, ge=1, le=100)] = 2
    limit: Annotated[Duration, about("No wait is longer.", "5m")] = Duration("5m")
    jitter: Annotated[Number, about("Each wait is changed at random by up to this share.", 0.1, ge=0, le=1)] = 0.1


class ClassBackoff(Section):
    """Waits for one class of failures; what is left out is as in `retries.backoff`."""

    first: Annotated[Duration | None, about("The wait after the first failure.", "30m")] = None
    factor: Annotated[Number | None, about("Each wait is this many times the one before.", 1, ge=1, le=100)] = None
    limit: Annotated[Duration | None, about("No wait is longer.", "1h")] = None
    jitter: Annotated[Number | None, about("Each wait is changed at random by up to this share.", 0.1, ge=0, le=1)] = (
        None
    )


class RetryClass(FailureMatch):
    """Failures of one kind, and how they are retried."""

    attempts: Annotated[int | None, about("Attempts in all for this class; 1 means no retry.", 1, ge=1, le=1000)] = None
    backoff: Annotated[ClassBackoff | None, about("Waits for this class.", {"first": "30m", "factor": 1})] = None


class Retries(Section):
    """How often and when a failed message is tried again."""

    attempts: Annotated[int, about("Attempts in all, the first included, lost workers too.", 5, ge=1, le=1000)] = 5
    backoff: Annotated[
        PipelineBackoff, about("Waits between attempts.", {"first": "1s", "factor": 2, "limit": "5m"})
    ] = PipelineBackoff()
    classes: Annotated[
        dict[Name, RetryClass],
        about(
            "Failures that are retried otherwise; the first that matches counts.",
            {"never": {"match": ["ValueError"], "attempts": 1}},
        ),
    ] = {}


class DeadLetter(Section):
    """Where messages go after their last attempt, with their story."""

    key: Annotated[
        Key,
        about(
            "The stream of dead letters.",
            "streams:media.cluster.deadletter",
            derived="{<stream.key>}:<stream.group>:dead",
        ),
    ] = ""
    keep: Annotated[Duration, about("How long a dead letter is kept.", "14d"), SOME_TIME] = Duration("14d")
