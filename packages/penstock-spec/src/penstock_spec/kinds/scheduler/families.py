"""Families of mistakes between the clock, Redis and pods that rules find in schedulers.

Each mistake lists the examples that show it, as `<rule>:<number of its failing example>`; a test runs them.
"""

from __future__ import annotations

from penstock_spec.kinds.family import family

FAMILIES = (
    family(
        1,
        {
            "a job has neither `every` nor `cron`": "job-without-time:1",
            "a job has both `every` and `cron`": "every-beside-cron:1 every-beside-cron:2",
            "a cron expression is invalid": "bad-cron:1 bad-cron:2 bad-cron:4",
            "a cron expression has a field for seconds": "bad-cron:3",
            "a cron expression never fires": "cron-never-fires:1",
            "an unknown time zone": "unknown-time-zone:1 unknown-time-zone:3",
            "a job is due more often than pods check": "looks-too-seldom:1",
            "an interval that is not in whole seconds": "interval-not-whole-seconds:1",
        },
    ),
    family(
        2,
        {
            "a timeout longer than the interval": "timeout-above-interval:1 timeout-above-interval:2",
            "a hanging job is due again before it is cancelled": "orphan-threshold-too-short:1",
            "a hanging job with an exceptional threshold is due again before it is cancelled": (
                "orphan-threshold-too-short:2"
            ),
            "a hanging job keeps its permit for longer than any timeout": "zombie-threshold-too-long:1",
            "an exceptional threshold that applies to no job": "exceptional-without-effect:2",
            "a short lease, so that healthy pods lose it and their jobs run in two places": "pod-lease-too-short:1",
            "a pod is killed while it cancels its jobs": "grace-shorter-than-cancelling:1",
        },
    ),
    family(
        3,
        {
            "unlimited concurrency of a pod": "unbounded-concurrency:1",
            "the enabled pattern matches no job": "pattern-matches-no-job:1",
            "the disabled pattern matches every job": "every-job-disabled:1",
            "an invalid pattern": "bad-pattern:1",
            "a job in a shard that does not exist": "shard-out-of-range:1",
            "a limit of a label that no job has": "limit-without-job:1 limit-without-job:2",
        },
    ),
    family(
        4,
        {
            "two jobs with the same name": "job-named-twice:1",
            "a job name of digits, which the cleanup removes": "numeric-job-name:1",
            "a job without a handler or a message": "job-without-work:1",
            "a job with a handler that never runs": "handler-beside-send:1",
        },
    ),
    family(
        5,
        {
            "failure classes that are defined but not used": "failure-classes-switched-off:1",
            "a failure class without `match`": "class-without-match:1",
            "a first wait longer than the limit": "failure-limit-below-first:1",
        },
    ),
    family(
        6,
        {
            "keys in several slots of a cluster": "hash-tag-missing:1",
        },
    ),
    family(
        0,
        {
            "two schedulers with the same keys": "scheduler-keys-shared:1",
            "a scheduler's key that is a pipeline's stream": "scheduler-keys-shared:2",
            "a job that sends to an unknown pipeline": "send-to-unknown-pipeline:1",
            "a job whose message does not match the pipeline's schema": "message-breaks-schema:1",
        },
    ),
)
