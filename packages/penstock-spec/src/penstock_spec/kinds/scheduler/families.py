"""What can be wrong with a scheduler between the clock, Redis and its pods, clause by clause.

Beside each clause stand the examples that show it, as `<rule>:<which of its fails>`; a test runs them.
"""

from __future__ import annotations

from penstock_spec.kinds.family import family

FAMILIES = (
    family(
        1,
        {
            "a job says nowhere when it runs": "job-without-time:1",
            "a job runs every so often and by the clock": "every-beside-cron:1 every-beside-cron:2",
            "a cron expression cannot be read": "bad-cron:1 bad-cron:2 bad-cron:4",
            "a cron expression has a field for seconds": "bad-cron:3",
            "a cron expression is never due": "cron-never-fires:1",
            "a time zone that there is not": "unknown-time-zone:1 unknown-time-zone:3",
            "a job is due more often than pods look": "looks-too-seldom:1",
            "an interval that due times cannot say": "interval-not-whole-seconds:1",
        },
    ),
    family(
        2,
        {
            "a run may take longer than the time to the next": "timeout-above-interval:1 timeout-above-interval:2",
            "a job that hangs is due again before it is stopped": "orphan-threshold-too-short:1",
            "jobs that may hang for longer are due again before they are stopped": "orphan-threshold-too-short:2",
            "a job that hangs keeps its permit for longer than any run may take": "zombie-threshold-too-long:1",
            "a threshold for jobs that may hang for longer takes none": "exceptional-without-effect:2",
            "healthy pods lose their lease, and their jobs run in two places": "pod-lease-too-short:1",
            "a pod is killed while it stops its jobs": "grace-shorter-than-cancelling:1",
        },
    ),
    family(
        3,
        {
            "nothing bounds what a pod runs at a time": "unbounded-concurrency:1",
            "the enabled pattern matches no job": "pattern-matches-no-job:1",
            "the disabled pattern matches every job": "every-job-disabled:1",
            "a pattern cannot be read": "bad-pattern:1",
            "a job belongs to a shard that there is not": "shard-out-of-range:1",
        },
    ),
    family(
        4,
        {
            "two jobs have one name": "job-named-twice:1",
            "a job's name looks like damage, and is removed": "numeric-job-name:1",
            "a job does nothing": "job-without-work:1",
            "a job has a handler that never runs": "handler-beside-send:1",
        },
    ),
    family(
        5,
        {
            "classes of failures are described and switched off": "failure-classes-switched-off:1",
            "a class of failures takes none": "class-without-match:1",
            "the first wait is longer than the longest": "failure-limit-below-first:1",
        },
    ),
    family(
        6,
        {
            "the keys lie in several slots of a cluster": "hash-tag-missing:1",
        },
    ),
    family(
        0,
        {
            "two schedulers have the same keys": "scheduler-keys-shared:1",
            "a key of a scheduler is the stream of a pipeline": "scheduler-keys-shared:2",
            "a job sends to a pipeline that there is not": "send-to-unknown-pipeline:1",
            "a job sends what the pipeline does not take": "message-breaks-schema:1",
        },
    ),
)
