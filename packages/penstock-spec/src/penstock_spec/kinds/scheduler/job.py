"""A job: what runs again and again, when, and what holds for all jobs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, SerializationInfo, SerializerFunctionWrapHandler, Tag, model_serializer

from penstock_spec.kinds.scheduler.strings import Cron, JobName, TimeZone
from penstock_spec.model import Section, TypeName, about
from penstock_spec.values.bounds import A_SECOND, SOME_TIME
from penstock_spec.values.quantities import Duration
from penstock_spec.values.strings import Field_, Handler, Name, Text

MOST_SHARDS = 10_000

Json = Annotated[dict[str, Any], TypeName("any keys and values")]


class Missed(Section):
    """What becomes of runs of a cron job that were due while nobody ran it."""

    run: Annotated[
        Literal["once", "skip", "all"],
        about(
            "`once` makes up for all of them with one run, `skip` waits for the next time, `all` runs each of them, "
            "one after the other. A run that was begun before its pod left or was lost is repeated, and none of them.",
            "once",
        ),
    ] = "once"
    at_most: Annotated[int, about("With `all`, no more runs than these are made up for: the last ones.", 10, ge=1)] = 10


class SendTo(Section):
    """A message to a pipeline of the same repository, in place of a handler."""

    pipeline: Annotated[Name, about("The pipeline.", "media-cluster")]
    message: Annotated[
        Json, about("The body of the message, as the pipeline's schema has it.", {"job_id": "nightly"})
    ] = {}


Every = Annotated[
    Duration | None,
    about("From the start of a run to the next; due times are whole seconds, rounded up.", "30s"),
    A_SECOND,
]
CronTimes = Annotated[
    Cron | None,
    about("When it runs: minute, hour, day of the month, month, day of the week; in place of `every`.", "*/5 * * * *"),
]
ErrorInterval = Annotated[
    Duration | None,
    about(
        "From the end of a run that failed to the next; without it as after any other run.",
        "2m",
    ),
    A_SECOND,
]
Timeout = Annotated[
    Duration | None,
    about(
        "How long a run may take before others may take it for hung; without it as long as `every`, and 5m for cron.",
        "5m",
    ),
    SOME_TIME,
]
Work = Annotated[
    Handler | None,
    about("The function that does the work, as `module:function`; without it that of the scheduler.", "caching:images"),
]
Send = Annotated[
    SendTo | None,
    about(
        "A message to a pipeline in place of a handler; where that has `message.dedup`, a run that is repeated sends "
        "nothing new.",
        {"pipeline": "media-cluster", "message": {"job_id": "nightly"}},
    ),
]


class Each(Section):
    """What holds for every job that does not say otherwise."""

    every: Every = None
    cron: CronTimes = None
    time_zone: Annotated[TimeZone, about("Where the hours of `cron` are those of the clock.", "Europe/Berlin")] = "UTC"
    missed: Annotated[Missed, about("Runs of cron jobs that were due while nobody ran them.", {"run": "skip"})] = (
        Missed()
    )
    error_interval: ErrorInterval = None
    timeout: Timeout = None
    priority: Annotated[
        int, about("Of jobs that are due in the same second, those with a higher one go first.", 900, ge=0, le=999)
    ] = 500


class Job(Section):
    """One job. What it does not say is as `each` has it."""

    name: Annotated[
        JobName,
        about("What it is called: at most 200 characters without spaces, not digits alone.", "aws/eu-west-1/images"),
    ]
    every: Every = None
    cron: CronTimes = None
    time_zone: Annotated[
        TimeZone | None, about("Where the hours of `cron` are those of the clock.", "Europe/Berlin")
    ] = None
    missed: Annotated[Missed | None, about("Runs that were due while nobody ran it.", {"run": "skip"})] = None
    error_interval: ErrorInterval = None
    timeout: Timeout = None
    priority: Annotated[
        int | None,
        about("Of jobs that are due in the same second, those with a higher one go first.", 900, ge=0, le=999),
    ] = None
    shard: Annotated[
        int | None,
        about("The shard it belongs to; without it one that follows from its name.", 0, ge=0, le=MOST_SHARDS - 1),
    ] = None
    labels: Annotated[
        dict[Field_, Text],
        about("Words about it, for its handler and for lists of jobs.", {"cloud": "aws"}),
    ] = {}
    args: Annotated[Json, about("What its handler is given.", {"region": "eu-west-1"})] = {}
    handler: Work = None
    send: Send = None

    @model_serializer(mode="wrap")
    def _its_own(self, dump: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        """Files have only what it says itself, so that a thousand of them are one that a cluster takes."""
        told: dict[str, Any] = dump(self)
        return {field: one for field, one in told.items() if one not in (None, {})} if info.mode == "json" else told


def _jobs(value: object) -> str | None:
    if isinstance(value, list):
        return "~list"
    return "~function" if isinstance(value, str) else None


Jobs = Annotated[
    Annotated[list[Job], Tag("~list")] | Annotated[Handler, Tag("~function")],
    Discriminator(
        _jobs, custom_error_type="wrong-type", custom_error_message="expected a list of jobs, or `module:function`"
    ),
]
"""Listed, or told by a function: names, or mappings with the fields of a job."""
