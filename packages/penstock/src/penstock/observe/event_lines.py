"""Defines the line of each event: its level, its message, its fields, and the roles that log it.

All messages of the runtime's log are here. `docs/reference/events.md` is generated from them.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from penstock.observe.events import Event
from penstock_spec.metrics import Role

Subject = Literal["message", "job"]


@dataclass(frozen=True, slots=True)
class EventLine:
    """The line of one event."""

    level: int
    message: str
    """English for people; `{name}` stands for the value of a field."""
    roles: tuple[Role, ...]
    subject: Subject | None = None
    """What the line is about. It also has the fields of `SUBJECT_FIELDS`."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Each field with its meaning."""


@dataclass(frozen=True, slots=True)
class Topic:
    """Events that belong together."""

    title: str
    lines: Mapping[Event, EventLine]


def _line(level: int, message: str, *roles: Role, subject: Subject | None = None, **fields: str) -> EventLine:
    return EventLine(level, message, roles, subject, fields)


info = partial(_line, logging.INFO)
warning = partial(_line, logging.WARNING)
error = partial(_line, logging.ERROR)

PODS: tuple[Role, ...] = ("worker", "janitor", "scheduler")
TYPE = "the type of the exception"
AT = "file and line in the team's code, if any"
SECONDS = "how long that took"
PIPELINE = "the pipeline's name, if the process serves several"

SUBJECT_FIELDS: Mapping[Subject, Mapping[str, str]] = {
    "message": {
        "message_id": "the message's own id, or the entry's if its sender gave none",
        "attempt": "the number of this attempt, from 1",
        "correlation": "the value of the field that `message.correlate` names, if any",
    },
    "job": {
        "job": "the job's name",
        "attempt": "1, and one more for each failure in a row",
        "fence": "the run's fencing token, a number that grows with each run",
    },
}
"""Fields of each line about a message or a job. A message's line has the fields of `message.log_fields` as well."""

SUMMARY: Mapping[str, Any] = {
    "scripts": "Lua scripts that the scheduler uses",
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

PROCESS = Topic(
    "A process starts, serves and stops",
    {
        Event.WORKER_STARTED: info(
            "Worker started",
            "worker",
            environment="the environment of the spec",
            version="Penstock's version",
            digest="the digest of the resolved spec",
        ),
        Event.WORKER_IDLE: info("Idle: no message is left; stopping, as `--until-idle` says", "worker"),
        Event.WORKER_STOPPED: info("Worker stopped", "worker", exit_code="0, or 1 when messages were left behind"),
        Event.JANITOR_STARTED: info(
            "Janitor started", "janitor", environment="the environment", pipelines="how many pipelines it maintains"
        ),
        Event.JANITOR_STOPPED: info("Janitor stopped", "janitor", exit_code="0"),
        Event.SCHEDULER_STARTED: info(
            "Scheduler started",
            "scheduler",
            environment="the environment of the spec",
            version="Penstock's version",
            digest="the digest of the resolved spec",
        ),
        Event.SCHEDULER_STOPPED: info(
            "Scheduler stopped",
            "scheduler",
            exit_code="0; 1 when jobs were left behind; 70 when a part of the process failed",
        ),
        Event.HTTP_LISTENING: info(
            "Serving health and metrics at http://{address}:{port}",
            *PODS,
            address="where it listens",
            port="the port",
        ),
        Event.HTTP_REQUEST_FAILED: warning(
            "Cannot answer `{path}`", *PODS, path="the path of the request", error=TYPE, at=AT
        ),
        Event.METRICS_COLLECTOR_FAILED: warning(
            "A collector of the handler's metrics failed; serving Penstock's metrics alone",
            *PODS,
            error=TYPE,
            at=AT,
        ),
        Event.FILES_CHANGED: info("The specs changed; stopping, so that a new process reads them", "janitor"),
        Event.LOOP_BLOCKED: error(
            "The event loop is blocked; exiting. Others take over when the lease expires",
            "worker",
            "scheduler",
            seconds="since its last heartbeat",
        ),
        Event.LOOP_EXCEPTION: warning(
            "An exception reached the event loop", *PODS, detail="asyncio's description", error=TYPE, at=AT
        ),
        Event.EXIT_IGNORED: warning(
            "A task that a handler left behind tried to end the process; ignored",
            "worker",
            "scheduler",
            error=TYPE,
            at=AT,
        ),
        Event.PART_FAILED: error(
            "A part of the process failed; shutting down", "scheduler", part="which", error=TYPE, at=AT
        ),
    },
)

SHUTDOWN = Topic(
    "A process shuts down",
    {
        Event.SIGNAL_RECEIVED: info("Received {signal}; shutting down", *PODS, signal="its name"),
        Event.SIGNAL_REPEATED: error(
            "Received {signal} again; exiting at once. Others take over when the lease expires",
            *PODS,
            signal="its name",
        ),
        Event.DRAIN_STARTED: info(
            "Draining: no new work is taken",
            "worker",
            "scheduler",
            running="handlers that run",
            grace="`shutdown.grace`",
        ),
        Event.DRAIN_WAITING: info(
            "Draining: waiting for handlers",
            "worker",
            running="handlers that run",
            seconds="since the drain started",
            progress="the last `context.progress` of each",
        ),
        Event.DRAIN_CANCELLING: warning(
            "Draining: time is up; cancelling handlers; unfinished messages are given back",
            "worker",
            running="handlers that run",
        ),
        Event.DRAIN_STUCK: warning(
            "Draining: jobs ignore their cancellation", "scheduler", running="jobs that still run"
        ),
        Event.DRAIN_FINISHED: info("Drained", "worker", "scheduler", seconds=SECONDS),
        Event.DRAIN_INCOMPLETE: error(
            "Draining is incomplete; others take over the rest when the lease expires",
            "worker",
            "scheduler",
            reason="of a worker: why it could not leave its group",
            left_behind="of a scheduler: jobs that still run",
            unsettled="of a scheduler: finished runs that Redis did not accept",
            seconds=SECONDS,
        ),
        Event.LIFESPAN_EXIT_FAILED: warning(
            "A handler's `lifespan` failed to end", "worker", "scheduler", error=TYPE, at=AT
        ),
        Event.SIDECAR_STOP_REQUESTED: info(
            "Asked the sidecar to stop", "worker", "scheduler", status="the status of its answer"
        ),
        Event.SIDECAR_STOP_FAILED: warning("Cannot reach the sidecar to stop it", "worker", "scheduler", error=TYPE),
    },
)

REDIS = Topic(
    "Redis, consumers and leases",
    {
        Event.REDIS_UNREACHABLE: warning(
            "Redis is unreachable: {error}; retrying",
            *PODS,
            "producer",
            activity="what the process was doing, see [activities](#activities)",
            error="the address and the reason",
            step="the script, where outcomes wait for Redis",
            pipeline=PIPELINE,
        ),
        Event.REDIS_REFUSED: error(
            "Redis refused a command: {error}; retrying",
            *PODS,
            "producer",
            activity="what the process was doing, see [activities](#activities)",
            error="Redis's answer",
            step="the script, where outcomes wait for Redis",
            pipeline=PIPELINE,
        ),
        Event.REDIS_UNEXPECTED_REPLY: error(
            "Redis gave an unexpected reply; retrying",
            "scheduler",
            activity="what the process was doing, see [activities](#activities)",
            error=TYPE,
            at=AT,
        ),
        Event.REDIS_REACHABLE: info(
            "Redis works again",
            *PODS,
            "producer",
            activity="what the process is doing again, see [activities](#activities)",
            pipeline=PIPELINE,
        ),
        Event.REDIS_EVICTS: error(
            "Redis deletes whole streams when its memory is full; set `maxmemory-policy` to `noeviction`",
            "worker",
            policy="its `maxmemory-policy`",
        ),
        Event.REDIS_SCRIPT_EVICTED: warning(
            "Redis does not keep a script; sending its source with each call, which is slower",
            "scheduler",
            script="its name",
        ),
        Event.BREAKER_OPENED: warning(
            "The circuit breaker opened after {error}; sends fail at once until Redis works again",
            "producer",
            error="the last failure",
            pipeline="the pipeline's name",
        ),
        Event.CONSUMER_JOINED: info(
            "Joined as consumer {consumer}", "worker", "scheduler", consumer="its name in Redis, new with each lease"
        ),
        Event.LEASE_EXPIRING: warning(
            "The lease was not renewed in time; cancelling jobs", "scheduler", consumer="its name in Redis"
        ),
        Event.LEASE_LOST: error(
            "The lease is lost; cancelling what runs, and joining again",
            "worker",
            "scheduler",
            consumer="its name in Redis",
            running="handlers that run",
        ),
        Event.GROUP_CREATED: info(
            "Created the consumer group", "janitor", pipeline=PIPELINE, stream="the stream's key", group="its name"
        ),
        Event.GROUP_RECREATED: error(
            "Somebody deleted the consumer group; created it again. The janitor restores unfinished messages",
            "worker",
            "janitor",
            pipeline=PIPELINE,
            stream="the stream's key",
            group="its name",
        ),
    },
)

MESSAGE = Topic(
    "A message",
    {
        Event.MESSAGE_FAILED: warning("The handler failed", "worker", subject="message", error=TYPE, at=AT),
        Event.MESSAGE_TIMED_OUT: warning(
            "The handler exceeded its timeout of {timeout}", "worker", subject="message", timeout="`work.timeout`"
        ),
        Event.MESSAGE_CRASHED: warning(
            "The message's process crashed: {how}", "worker", subject="message", how="how the process ended"
        ),
        Event.MESSAGE_UNREADABLE: warning(
            "The message cannot be read",
            "worker",
            subject="message",
            reason="why, in a word",
            detail="the place in the body and the problem",
        ),
        Event.MESSAGE_DEAD: error(
            "The message is dead: it will not be retried. See `penstock dlq`",
            "worker",
            subject="message",
            reason="`failed`, `refused` by the handler, `unreadable` or `lost`",
            error="the type of its last exception, or why there was none",
            at=AT,
            entry="its id in the stream",
            dead_letter="its id in the stream of dead letters; absent when Redis's answer was lost",
        ),
        Event.MESSAGE_NOT_CLASSIFIED: error(
            "The exception cannot be inspected; treating it as any failure",
            "worker",
            subject="message",
            error="the type of what inspecting it raised",
            at=AT,
        ),
        Event.HANDLER_ABANDONED: warning(
            "The handler ignores its cancellation; it runs on and keeps its slot",
            "worker",
            subject="message",
            handler="`function` or `coroutine`",
        ),
        Event.MIDDLEWARE_FAILED: error(
            "A middleware's `on_error` failed; the handler's failure counts",
            "worker",
            subject="message",
            middleware="its class",
            error=TYPE,
            at=AT,
        ),
    },
)

MESSAGES = Topic(
    "Many messages",
    {
        Event.MESSAGES_LOST: error(
            "Messages are lost: somebody deleted or trimmed them",
            "worker",
            "janitor",
            count="how many",
            state="`unread` (new), `pending` (running, ready or suspect) or `waiting` (parked or delayed)",
            pipeline=PIPELINE,
            stream="the stream's key",
        ),
        Event.MESSAGES_GIVEN_BACK: warning(
            "Gave back messages that this worker owned and did not run", "worker", count="how many"
        ),
        Event.MESSAGES_TAKEN_OVER: warning(
            "Took over messages of consumers whose lease expired",
            "worker",
            "janitor",
            messages="messages that are suspects now",
            consumers="consumers that were removed",
            lost="messages that somebody had deleted",
            pipeline=PIPELINE,
        ),
        Event.MESSAGES_RECONCILED: warning(
            "Repaired what differed from the pending list",
            "janitor",
            pipeline=PIPELINE,
            parked_without_due="parked messages that had no due time",
            due_without_parked="due times of messages that are not parked",
            brought_back="unfinished messages that were not pending",
            finished_elsewhere="messages that another group finished",
            finished_beside="messages that were finished while another group read the stream",
            delayed_without_due="delayed messages that had no due time",
            due_without_body="due times of messages that are not delayed",
            forgotten="notes on messages that are not pending",
            gone="unfinished messages that were deleted",
        ),
        Event.OUTCOMES_FENCED: warning(
            "Outcomes were ignored: other workers own the messages",
            "worker",
            step="the script",
            count="how many",
            entries="ids in the stream, ten at most",
        ),
        Event.OUTCOMES_GONE: warning(
            "Outcomes were ignored: the messages are not pending",
            "worker",
            step="the script",
            count="how many",
            entries="ids in the stream, ten at most",
        ),
    },
)

ISOLATION = Topic(
    "Child processes",
    {
        Event.ISOLATION_FAILED: error("Cannot start child processes: {error}; retrying", "worker", error="why not"),
        Event.ISOLATION_RECOVERED: info("Child processes start again", "worker"),
        Event.ISOLATION_SLOW: warning(
            "Each child process imports the handler by itself, which is slow", "worker", reason="why it must"
        ),
    },
)

JANITOR = Topic(
    "A janitor",
    {
        Event.JANITOR_BECAME_LEADER: info("Became leader", "janitor"),
        Event.JANITOR_BECAME_STANDBY: info("Standby: another janitor leads", "janitor"),
        Event.JANITOR_TASK_FAILED: error(
            "The task `{task}` failed; retrying",
            "janitor",
            pipeline=PIPELINE,
            task="as the metric `penstock_janitor_errors_total` calls it",
            error=f"Redis's answer, or {TYPE}",
            at=AT,
        ),
        Event.JANITOR_TASK_RECOVERED: info(
            "The task `{task}` works again", "janitor", pipeline=PIPELINE, task="as above"
        ),
        Event.GHOST_FOUND: warning(
            "Found a ghost; it stays, as `janitor.ghosts.dry_run` says",
            "janitor",
            pipeline=PIPELINE,
            consumer="its name",
            messages="messages that it owns",
        ),
        Event.GHOST_REMOVED: warning(
            "Removed a ghost", "janitor", pipeline=PIPELINE, consumer="its name", messages="messages that it owned"
        ),
    },
)

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
            "The job ignores its cancellation; it runs on without a permit", "scheduler", subject="job"
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
        Event.PODS_LOST: warning(
            "The leases of pods expired; their jobs are due again after their deadlines", "scheduler", pods="how many"
        ),
    },
)

TOPICS = (PROCESS, SHUTDOWN, REDIS, MESSAGE, MESSAGES, ISOLATION, JANITOR, SCHEDULER)
EVENT_LINES: Mapping[Event, EventLine] = {event: line for topic in TOPICS for event, line in topic.lines.items()}
"""The line of every event."""
