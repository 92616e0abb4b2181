"""Models of jobs and of the defaults for all jobs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, SerializationInfo, SerializerFunctionWrapHandler, Tag, model_serializer

from penstock_spec.kinds.scheduler.strings import Cron, JobName, TimeZone
from penstock_spec.model import Section, TypeName, about
from penstock_spec.values.bounds import MIN_1MS, MIN_1S
from penstock_spec.values.quantities import Duration
from penstock_spec.values.strings import Field_, Handler, Name, Text

MOST_SHARDS = 10_000

Json = Annotated[dict[str, Any], TypeName("any keys and values")]


class Missed(Section):
    """How to handle runs of a cron job that were missed because no pod ran it."""

    run: Annotated[
        Literal["once", "skip", "all"],
        about(
            "`once` catches up on all missed runs with one run, `skip` waits for the next due time, and "
            "`all` runs each missed run in order. A run that had started before its pod stopped or was "
            "lost is not a missed run: it is repeated.",
            "once",
        ),
    ] = "once"
    at_most: Annotated[
        int, about("With `all`, the maximum number of missed runs to catch up on; older ones are skipped.", 10, ge=1)
    ] = 10


class SendTo(Section):
    """A message to a pipeline in the same repository, instead of a handler."""

    pipeline: Annotated[Name, about("The name of the pipeline.", "media-cluster")]
    message: Annotated[
        Json, about("The body of the message. It must match the pipeline's schema.", {"job_id": "nightly"})
    ] = {}


Every = Annotated[
    Duration | None,
    about("The interval from the start of a run to the next. Due times are rounded up to whole seconds.", "30s"),
    MIN_1S,
]
CronTimes = Annotated[
    Cron | None,
    about(
        "A cron expression (minute, hour, day of the month, month, day of the week), instead of `every`.", "*/5 * * * *"
    ),
]
ErrorInterval = Annotated[
    Duration | None,
    about(
        "The time from the end of a failed run to the next run. Without it, the next run is due as "
        "after any other run.",
        "2m",
    ),
    MIN_1S,
]
Timeout = Annotated[
    Duration | None,
    about(
        "How long a run may take before it counts as hanging. Defaults to `every`, and to 5m for cron jobs.",
        "5m",
    ),
    MIN_1MS,
]
Work = Annotated[
    Handler | None,
    about(
        "The function that runs the job, as `module:function`. Defaults to the scheduler's handler.", "caching:images"
    ),
]
Send = Annotated[
    SendTo | None,
    about(
        "A message to a pipeline, instead of a handler. If the pipeline has `message.dedup`, a "
        "repeated run does not send the message again.",
        {"pipeline": "media-cluster", "message": {"job_id": "nightly"}},
    ),
]


Overlap = Literal["skip", "wait", "replace"]
OVERLAP = (
    "What happens when a job is due while its previous run has not ended, by its schedule or by `run-now`. `skip` "
    "drops that run, `wait` starts it right after the previous one, and `replace` cancels the previous one and starts "
    "it when that has ended."
)


class JobDefaults(Section):
    """Defaults for all jobs."""

    every: Every = None
    cron: CronTimes = None
    time_zone: Annotated[TimeZone, about("The time zone of `cron`.", "Europe/Berlin")] = "UTC"
    missed: Annotated[Missed, about("How to handle missed runs of cron jobs.", {"run": "skip"})] = Missed()
    overlap: Annotated[Overlap, about(OVERLAP, "skip")] = "wait"
    error_interval: ErrorInterval = None
    timeout: Timeout = None
    priority: Annotated[
        int,
        about(
            "Of the jobs that are due in the same second, those with a higher priority run first.", 900, ge=0, le=999
        ),
    ] = 500


class Job(Section):
    """One job. Missing fields are taken from `each`."""

    name: Annotated[
        JobName,
        about("The job's name: at most 200 characters, without spaces, and not digits only.", "aws/eu-west-1/images"),
    ]
    every: Every = None
    cron: CronTimes = None
    time_zone: Annotated[TimeZone | None, about("The time zone of `cron`.", "Europe/Berlin")] = None
    missed: Annotated[Missed | None, about("How to handle missed runs.", {"run": "skip"})] = None
    overlap: Annotated[Overlap | None, about(OVERLAP, "replace")] = None
    error_interval: ErrorInterval = None
    timeout: Timeout = None
    priority: Annotated[
        int | None,
        about(
            "Of the jobs that are due in the same second, those with a higher priority run first.", 900, ge=0, le=999
        ),
    ] = None
    shard: Annotated[
        int | None,
        about("The job's shard. By default it is computed from the name.", 0, ge=0, le=MOST_SHARDS - 1),
    ] = None
    labels: Annotated[
        dict[Field_, Text],
        about("Labels for the handler and for `limits`.", {"cloud": "aws"}),
    ] = {}
    args: Annotated[Json, about("Arguments for the handler.", {"region": "eu-west-1"})] = {}
    handler: Work = None
    send: Send = None

    @model_serializer(mode="wrap")
    def _without_missing_fields(self, dump: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        """In JSON, leave out missing fields, so that a thousand jobs fit into one ConfigMap."""
        fields: dict[str, Any] = dump(self)
        if info.mode != "json":
            return fields
        return {name: value for name, value in fields.items() if value not in (None, {})}


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
"""A list of jobs, or a function that returns names or mappings with the fields of a job."""
