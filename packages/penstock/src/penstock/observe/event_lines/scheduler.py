"""Lines of schedulers about themselves and their jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penstock.observe.event_lines.define import AT, TYPE, Topic, debug, error, info, warning
from penstock.observe.events import Event

SUMMARY: Mapping[str, Any] = {
    "registered": "jobs that this pod registered",
    "running": "jobs that run in this pod",
    "working": "jobs that run in all pods",
    "ready": "jobs that are due",
    "oldest_overdue": "seconds since the oldest of them came due",
    "capacity_per_cycle": "permits at the start of the last cycle",
    "permits": "free permits and all permits",
    "zombies_cancelled": "jobs that were cancelled long after their deadline",
    "orphans_returned": "jobs of lost pods that this pod made due again",
    "queue_depth": "finished runs that are not handed back to Redis yet",
    "signals": "signs of trouble that persist",
}

SCHEDULER = Topic(
    "A scheduler and its jobs",
    {
        Event.SCHEDULER_BECAME_LEADER: info("Became leader: returns jobs of lost pods", "scheduler"),
        Event.SCHEDULER_BECAME_STANDBY: info("Standby: another pod leads", "scheduler"),
        Event.SCHEDULER_SUMMARY: info("Summary: {health}", "scheduler", health="`HEALTHY` or `DEGRADED`", **SUMMARY),
        Event.SCHEDULER_DEGRADED: warning("The scheduler is DEGRADED", "scheduler", **SUMMARY),
        Event.SCHEDULER_HEALTHY: info("The scheduler is HEALTHY again", "scheduler", **SUMMARY),
        Event.SPEC_INVALID: warning(
            "The spec has errors; keeping the patterns of jobs", "scheduler", error="the error"
        ),
        Event.PATTERNS_CHANGED: info(
            "The patterns of jobs changed", "scheduler", enabled="`patterns.enabled`", disabled="`patterns.disabled`"
        ),
        Event.JOB_STARTED: debug(
            "The job starts", "scheduler", subject="job", due="the second of Redis time at which it was due"
        ),
        Event.JOB_ENDED: debug(
            "The run ended",
            "scheduler",
            subject="job",
            outcome="as in its history",
            seconds="since it started",
            next_due="when it runs next, in seconds of Redis time",
        ),
        Event.JOB_FAILED: warning(
            "The job failed",
            "scheduler",
            subject="job",
            error=TYPE,
            at=AT,
            failure_class="the class in `failures.classes`, or `-`",
            in_a_row="failures in a row",
            next_due="when it runs next, in seconds of Redis time",
        ),
        Event.JOB_OVERRAN: warning(
            "The job exceeded its timeout; cancelling it",
            "scheduler",
            subject="job",
            seconds="since it started",
            by="`timer`, or `scan` where the timer was late",
        ),
        Event.JOB_ABANDONED: error(
            "The job ignores its cancellation; it runs on without a permit, and keeps its job",
            "scheduler",
            subject="job",
        ),
        Event.JOB_CRASHED: warning(
            "The job's process crashed: {how}", "scheduler", subject="job", how="how the process ended"
        ),
        Event.JOB_GIVEN_UP: error(
            "The job failed too often; it is paused until `penstock scheduler resume SPEC JOB`",
            "scheduler",
            job="its name",
            in_a_row="failures in a row",
        ),
        Event.JOB_LOST_AGAIN: error(
            "The job's pods are lost one after another; the job may crash them",
            "scheduler",
            job="its name",
            in_a_row="lost runs in a row",
            next_due="when it runs next, in seconds of Redis time; null if it is paused",
        ),
        Event.JOB_NOT_STARTED: warning(
            "The job could not be started; it is due again", "scheduler", subject="job", error=TYPE, at=AT
        ),
        Event.JOB_FENCED: warning(
            "The run's outcome was ignored: another pod has the job", "scheduler", job="its name", step="the script"
        ),
        Event.JOBS_INVALID: warning(
            "Ignoring invalid jobs",
            "scheduler",
            list="the function that listed them",
            jobs="the first of them, and why",
        ),
        Event.JOBS_PASSED_OVER: warning(
            "Nearly all due jobs that this pod inspects are not for it; check `shards` and `patterns`",
            "scheduler",
            passed="due jobs of other shards, disabled or unknown, in the last minute",
            acquired="jobs that the pod acquired meanwhile",
        ),
        Event.JOBS_LIST_FAILED: warning("Cannot list the jobs; keeping the last list", "scheduler", error=TYPE, at=AT),
        Event.JOBS_NOT_HANDED_BACK: error(
            "Redis did not accept the next due times of jobs; retrying at the next refresh",
            "scheduler",
            jobs="how many",
            first="the name of the first",
            error="the last failure",
        ),
        Event.JOBS_RETURNED: warning("Jobs of lost pods are due again", "scheduler", jobs="how many"),
        Event.JOBS_REMOVED: warning(
            "Removed entries that are not registered jobs",
            "scheduler",
            unknown="entries of unknown names",
            numeric="entries whose names are digits",
        ),
        Event.ORPHANS_CHECK_FAILED: warning("Cannot look for jobs of lost pods", "scheduler", error=TYPE, at=AT),
        Event.PODS_LOST: warning("The leases of pods expired; their jobs are due again", "scheduler", pods="how many"),
    },
)
